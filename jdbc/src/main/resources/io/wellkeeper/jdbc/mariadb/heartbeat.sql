-- Makes a session live longer, if it lives; and looks whose time is up. How many rows were changed is not asked of the server,
-- for a driver may ask something of its own between the two.
SET @lives = FALSE;
UPDATE {session} FORCE INDEX (PRIMARY)
SET expires = IF(@lives := TRUE, UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND, expires)
WHERE id = :me AND expires > UTC_TIMESTAMP(6);
SELECT CAST(@lives AS SIGNED), COUNT(id) FROM {session} WHERE expires <= UTC_TIMESTAMP(6)
