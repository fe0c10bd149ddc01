-- Gives a ticket back, and shows who watches it.
START TRANSACTION;
SELECT w.session AS watcher
FROM {lock} l LEFT JOIN {watch} w ON w.name = l.name AND w.number = :number AND w.generation = :generation
WHERE l.name = :name FOR UPDATE;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation AND session = :owner;
SELECT ROW_COUNT(), CAST(ROW_COUNT() AS CHAR) AS gone;
UPDATE {lock} l SET base = COALESCE((SELECT MIN(number) FROM {ticket} WHERE name = :name AND number >= l.base), token + 1)
WHERE name = :name;
COMMIT
