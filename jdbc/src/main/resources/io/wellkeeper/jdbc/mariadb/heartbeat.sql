-- Makes a session live longer, if it lives, and counts the sessions whose time is up. A variable says whether the
-- session lives: the server is not asked how many rows it has changed, because a driver may send a statement of its own
-- in between.
SET @lives = FALSE;
UPDATE {session} FORCE INDEX (PRIMARY)
SET expires = IF(@lives := TRUE, UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND, expires)
WHERE id = :me AND expires > UTC_TIMESTAMP(6);
SELECT CAST(@lives AS SIGNED), COUNT(id) FROM {session} WHERE expires <= UTC_TIMESTAMP(6)
