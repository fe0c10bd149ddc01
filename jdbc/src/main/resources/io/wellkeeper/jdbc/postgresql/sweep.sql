-- Sends the tickets of ended sessions away, and tells those who watch them.
SELECT FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
WITH gone AS (
  DELETE FROM {ticket} t WHERE t.name = :name AND NOT EXISTS (SELECT FROM {session} s WHERE s.id = t.session)
  RETURNING number, generation, session, request
), watching AS (
  DELETE FROM {watch} w USING gone g
  WHERE w.name = :name AND w.number = g.number AND w.generation = g.generation
  RETURNING w.session AS watcher, g.number || ':' || g.session || ':' || g.request || ':' || g.generation AS ticket
), told AS (
  SELECT pg_notify('{channel}' || watcher, 'd' || ticket) FROM watching
)
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM told)
