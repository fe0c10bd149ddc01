-- Which tickets live, and the milliseconds left to their sessions.
DELETE FROM {session} WHERE id IN (
  SELECT s.id FROM {ticket} t JOIN {session} s ON s.id = t.session
  WHERE t.name = ANY (:names) AND t.number = ANY (:numbers) AND s.expires <= clock_timestamp()
  FOR UPDATE OF s SKIP LOCKED)
RETURNING pg_notify('{channel}' || id, 'x');
SELECT t.number, t.generation, t.session, t.request,
  greatest(1, CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint))
FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name = ANY (:names) AND t.number = ANY (:numbers)
