-- The living tickets of a name.
DELETE FROM {session} WHERE id IN (
  SELECT s.id FROM {ticket} t JOIN {session} s ON s.id = t.session
  WHERE t.name = :name AND s.expires <= clock_timestamp() FOR UPDATE OF s SKIP LOCKED)
RETURNING pg_notify('{channel}' || id, 'x');
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits
FROM {ticket} t JOIN {session} s ON s.id = t.session WHERE t.name = :name ORDER BY t.number
