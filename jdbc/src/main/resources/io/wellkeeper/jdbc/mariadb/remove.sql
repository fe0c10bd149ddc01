-- Gives a ticket back, and tells those who watch it.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT INTO {inbox} (session, text, since)
SELECT session, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation;
SELECT session AS ring FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation AND session = :owner;
SELECT ROW_COUNT();
UPDATE {lock} l SET base = COALESCE((SELECT MIN(number) FROM {ticket} WHERE name = :name AND number >= l.base), token + 1)
WHERE name = :name;
COMMIT
