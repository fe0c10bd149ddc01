-- Makes a session live longer, if it lives; and looks whose time is up.
UPDATE {session} FORCE INDEX (PRIMARY) SET expires = UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND
WHERE id = :me AND expires > UTC_TIMESTAMP(6);
SELECT ROW_COUNT(), COUNT(id) FROM {session} WHERE expires <= UTC_TIMESTAMP(6)
