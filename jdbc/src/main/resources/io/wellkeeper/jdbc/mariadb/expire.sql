-- Ends a session whose time is up, and clears up after one that has ended. It fails at once if a transaction guards it.
START TRANSACTION;
SELECT id FROM {session} FORCE INDEX (life) WHERE id = :dead FOR UPDATE NOWAIT;
DELETE FROM {session} WHERE id = :dead AND expires <= UTC_TIMESTAMP(6);
INSERT INTO {inbox} (session, text, since)
SELECT :dead, 'x', UTC_TIMESTAMP(6) FROM DUAL WHERE ROW_COUNT() > 0;
DELETE FROM {watch} WHERE session = :dead AND NOT EXISTS (SELECT 1 FROM {session} WHERE id = :dead);
DELETE FROM {inbox} WHERE session = :dead AND since < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE
  AND NOT EXISTS (SELECT 1 FROM {session} WHERE id = :dead);
SELECT :dead AS ring;
COMMIT
