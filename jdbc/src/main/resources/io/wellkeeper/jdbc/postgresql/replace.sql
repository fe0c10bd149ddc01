-- Puts a milder ticket in the place of one's own, and tells those who watch the old one.
SELECT FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
WITH milder AS (
  UPDATE {ticket} SET generation = generation + 1, mode = :mode, permits = :permits
  WHERE name = :name AND number = :number AND generation = :generation AND session = :me
  RETURNING number
), watching AS (
  DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation
    AND EXISTS (SELECT FROM milder)
  RETURNING session
), told AS (
  SELECT pg_notify('{channel}' || session, 'd' || :ticket) FROM watching
)
SELECT (SELECT count(*) FROM {session} WHERE id = :me),
  (SELECT count(*) FROM milder) + (SELECT count(*) FROM {ticket}
    WHERE name = :name AND number = :number AND generation = :generation + 1 AND session = :me),
  (SELECT count(*) FROM told)
