-- Gives a ticket back, and tells those who watch it, and its owner; with the queue that is left, if it is short enough.
-- By itself it does not wait for the disk: a ticket that is back after a crash of the server is given back once more by its
-- session.
SELECT {unforced} FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
WITH gone AS (
  DELETE FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation AND session = :owner
  RETURNING session
), watching AS (
  DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation RETURNING session
), told AS (
  SELECT pg_notify('{channel}' || session, 'd' || :ticket || (
    SELECT CASE WHEN sum(octet_length(word)) < 7000 THEN string_agg(word, '' ORDER BY number) ELSE '' END
    FROM (
      SELECT number, concat(' ', concat_ws(':', number, t.session, request, generation, mode, permits)) AS word
      FROM {ticket} t WHERE name = :name AND NOT (number = :number AND generation = :generation)) AS behind))
  FROM (SELECT session FROM watching UNION SELECT session FROM gone WHERE session <> :me) AS concerned
)
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM told)
