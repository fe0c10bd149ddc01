-- Ends a session whose time is up, and clears up after one that has ended. Whoever is at it already is waited for, but not a
-- transaction that guards it: then it fails at once.
START TRANSACTION;
SELECT 1 FROM {session} FORCE INDEX (PRIMARY) WHERE id = :dead FOR UPDATE;
SELECT 1 FROM {session} FORCE INDEX (life) WHERE id = :dead FOR UPDATE NOWAIT;
DELETE FROM {session} WHERE id = :dead AND expires <= UTC_TIMESTAMP(6);
INSERT INTO {inbox} (session, text, since)
SELECT :dead, 'x', UTC_TIMESTAMP(6) FROM DUAL WHERE ROW_COUNT() > 0;
DELETE FROM {watch} WHERE session = :dead AND NOT EXISTS (SELECT 1 FROM {session} WHERE id = :dead);
DELETE FROM {inbox} WHERE session = :dead AND since < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE
  AND NOT EXISTS (SELECT 1 FROM {session} WHERE id = :dead);
SELECT :dead AS ring;
COMMIT
