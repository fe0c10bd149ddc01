-- Ends a session whose time is up. It waits for another client that is ending the session already, but not for a
-- transaction that guards the session: then it fails at once.
SET @over = FALSE;
START TRANSACTION;
SELECT 1 FROM {session} FORCE INDEX (PRIMARY) WHERE id = :dead FOR UPDATE;
SELECT 1 FROM {session} FORCE INDEX (life) WHERE id = :dead FOR UPDATE NOWAIT;
UPDATE {session} SET ended = @over := TRUE, expires = '1000-01-01'
WHERE id = :dead AND NOT ended AND expires <= UTC_TIMESTAMP(6);
INSERT INTO {inbox} (session, text, since)
SELECT :dead, 'x', UTC_TIMESTAMP(6) FROM DUAL WHERE @over;
SELECT :dead AS ring;
COMMIT
