-- Gives a ticket back, and tells those who watch it, and its owner.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT INTO {inbox} (session, text, since)
SELECT session, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation
UNION
SELECT session, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {ticket}
WHERE name = :name AND number = :number AND generation = :generation AND session = :owner AND session <> :me;
SELECT session AS ring FROM {watch} WHERE name = :name AND number = :number AND generation = :generation
UNION
SELECT session FROM {ticket}
WHERE name = :name AND number = :number AND generation = :generation AND session = :owner AND session <> :me;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation AND session = :owner;
SELECT ROW_COUNT();
COMMIT
