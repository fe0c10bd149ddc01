-- Gives a ticket back, and tells those who watch it, and its owner.
SELECT FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
WITH gone AS (
  DELETE FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation AND session = :owner
  RETURNING session
), watching AS (
  DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation RETURNING session
), told AS (
  SELECT pg_notify('{channel}' || session, 'd' || :ticket)
  FROM (SELECT session FROM watching UNION SELECT session FROM gone WHERE session <> :me) AS concerned
)
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM told)
