-- Puts a milder ticket in the place of one's own, and tells those who watch the old one.
UPDATE {ticket} SET generation = generation + 1, mode = :mode, permits = :permits
WHERE name = :name AND number = :number AND generation = :generation AND session = :me;
INSERT INTO {inbox} (session, text)
SELECT w.session, 'd' || :ticket
FROM {watch} w JOIN {ticket} t ON t.name = w.name AND t.number = w.number AND t.generation = w.generation + 1
WHERE w.name = :name AND w.number = :number AND w.generation = :generation AND t.session = :me;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation AND EXISTS (
  SELECT 1 FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation + 1 AND session = :me);
SELECT (SELECT count(*) FROM {session} WHERE id = :me), (SELECT count(*) FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation + 1 AND session = :me)
