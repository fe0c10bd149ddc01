-- Takes the next number under the lock's row, then, with a new snapshot, shows everything ahead of it: whoever had the
-- row before has committed. Watches the nearest ticket of others, and tells those who have been alone.
WITH ended AS (
  DELETE FROM {session} WHERE id IN (
    SELECT s.id FROM {ticket} t JOIN {session} s ON s.id = t.session
    WHERE t.name = :name AND s.expires <= clock_timestamp() FOR UPDATE OF s SKIP LOCKED)
  RETURNING pg_notify('{channel}' || id, 'x')
), drawn AS (
  INSERT INTO {lock} AS l (name, token)
  SELECT :name, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)
  FROM {session} WHERE id = :me AND expires > clock_timestamp()
  ON CONFLICT (name) DO UPDATE SET token = greatest(l.token + 1, excluded.token)
  RETURNING token
)
INSERT INTO {ticket} (name, number, generation, session, request, mode, permits, metadata)
SELECT :name, token, 0, :me, :request, :mode, :permits, :metadata FROM drawn
ON CONFLICT (session, request) DO NOTHING;
WITH mine AS (
  SELECT t.number FROM {ticket} t JOIN {session} s ON s.id = t.session
  WHERE t.session = :me AND t.request = :request AND t.name = :name
), ahead AS MATERIALIZED (
  SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits,
    greatest(1, CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint)) AS millis
  FROM {ticket} t JOIN {session} s ON s.id = t.session
  WHERE t.name = :name AND t.number <= (SELECT number FROM mine)
), armed AS (
  INSERT INTO {watch} (name, number, generation, session)
  SELECT :name, number, generation, :me FROM ahead WHERE session <> :me ORDER BY number DESC LIMIT 1
  ON CONFLICT DO NOTHING
), met AS (
  UPDATE {ticket} SET alone = false
  WHERE name = :name AND alone AND session <> :me AND number < (SELECT number FROM mine)
  RETURNING session, request
), told AS (
  SELECT pg_notify('{channel}' || session, 'a' || request) FROM met
)
SELECT number, generation, session, request, mode, permits, millis, (SELECT count(*) FROM told)
FROM ahead ORDER BY number
