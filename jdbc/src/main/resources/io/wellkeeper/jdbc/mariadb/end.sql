-- Ends a session; its tickets count as gone from now on. The anchor, a named lock, would stay with the connection. It
-- is released first, because the listener, while it waits for the anchor, keeps others from deleting the messages that
-- it has read. The rest fails at once while a transaction guards the session; then the session ends when its time is
-- up. The messages shown here are deleted afterwards, and only these, because a user's transaction may be sending
-- another one.
DO RELEASE_LOCK(CONCAT('{channel}', :me));
START TRANSACTION;
SELECT 1 FROM {session} FORCE INDEX (PRIMARY) WHERE id = :me FOR UPDATE;
SELECT 1 FROM {session} FORCE INDEX (life) WHERE id = :me FOR UPDATE NOWAIT;
UPDATE {session} SET ended = TRUE, expires = '1000-01-01' WHERE id = :me;
SELECT CAST(id AS CHAR) AS message FROM {inbox} WHERE session = :me;
COMMIT
