-- Gives a ticket back with the user's transaction, and tells the others who watch it: those who look before the end of the
-- transaction wait for that.
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT INTO {inbox} (session, text, since)
SELECT session, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation AND session <> :owner;
SELECT session AS ring FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation AND session <> :owner LOCK IN SHARE MODE;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND session = :owner;
UPDATE {lock} l SET base = COALESCE((SELECT MIN(number) FROM {ticket} WHERE name = :name AND number >= l.base), token + 1)
WHERE name = :name
