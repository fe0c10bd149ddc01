-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
UPDATE {ticket} mine LEFT JOIN (
  SELECT t.name FROM {ticket} t JOIN {session} s ON s.id = t.session
  WHERE t.name = :name AND t.number > :number AND t.session <> :me LIMIT 1) behind ON behind.name = mine.name
SET mine.alone = TRUE
WHERE mine.name = :name AND mine.number = :number AND mine.generation = :generation AND mine.session = :me
  AND behind.name IS NULL;
SELECT (SELECT COUNT(*) FROM {session} WHERE id = :me), (SELECT COUNT(*) FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation AND session = :me AND alone);
COMMIT
