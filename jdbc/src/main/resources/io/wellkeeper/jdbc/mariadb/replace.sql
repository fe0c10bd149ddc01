-- Puts a milder ticket in the place of one's own, and tells those who watch the old one.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
UPDATE {ticket} SET generation = generation + 1, mode = :mode, permits = :permits
WHERE name = :name AND number = :number AND generation = :generation AND session = :me;
INSERT INTO {inbox} (session, text, since)
SELECT session, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation;
SELECT session AS ring FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
SELECT (SELECT COUNT(*) FROM {session} WHERE id = :me), (SELECT COUNT(*) FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation + 1 AND session = :me);
COMMIT
