-- Ends a session; its tickets are no living ones from now on. The anchor would stay with the connection; it comes first,
-- because the listener, while it waits for it, keeps others from clearing away what it has read. The rest fails at once
-- while a transaction guards the session, which then ends when its time is up. The messages are cleared afterwards: those
-- that are shown, as a user's transaction may be sending another one.
DO RELEASE_LOCK(CONCAT('{channel}', :me));
START TRANSACTION;
SELECT 1 FROM {session} FORCE INDEX (PRIMARY) WHERE id = :me FOR UPDATE;
SELECT 1 FROM {session} FORCE INDEX (life) WHERE id = :me FOR UPDATE NOWAIT;
UPDATE {session} SET ended = TRUE, expires = '1000-01-01' WHERE id = :me;
SELECT CAST(id AS CHAR) AS message FROM {inbox} WHERE session = :me;
COMMIT
