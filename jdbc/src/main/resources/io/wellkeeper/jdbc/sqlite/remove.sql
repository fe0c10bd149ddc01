-- Gives a ticket back, and tells those who watch it, and its owner.
INSERT INTO {inbox} (session, text)
SELECT session, 'd' || :ticket FROM {watch} WHERE name = :name AND number = :number AND generation = :generation
UNION
SELECT session, 'd' || :ticket FROM {ticket}
WHERE name = :name AND number = :number AND generation = :generation AND session = :owner AND session <> :me;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation AND session = :owner;
SELECT changes()
