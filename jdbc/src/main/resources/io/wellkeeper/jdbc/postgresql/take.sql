-- Takes the next number, and shows the queue: the transaction that had the row before has committed. Tells the session
-- that has been alone. No watch is needed, because the owner of the next ticket in the queue is told of every departure
-- anyway. The wait for the disk comes afterwards, so that others get the row without waiting for it.
BEGIN;
WITH drawn AS (
  INSERT INTO {lock} AS l (name, token, queue)
  SELECT :name, micros, ' ' || micros || ':' || :fresh || ' '
  FROM CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS micros, {session}
  WHERE id = :me AND expires > clock_timestamp()
  ON CONFLICT (name) DO UPDATE SET token = greatest(l.token + 1, excluded.token),
    queue = CASE WHEN strpos(l.queue, ':' || :fresh) > 0 THEN l.queue
      ELSE l.queue || greatest(l.token + 1, excluded.token) || ':' || :fresh || ' ' END
  RETURNING token, queue, alone
), kept AS (
  INSERT INTO {ticket} (name, number, session, metadata)
  SELECT :name, token, :me, :metadata FROM drawn WHERE strpos(queue, ' ' || token || ':') > 0
), told AS (
  SELECT pg_notify('{channel}' || left(alone, length(:me)),
    'a' || CASE WHEN octet_length(alone) < 7000 THEN substr(alone, length(:me) + 2) ELSE '' END) FROM drawn
  WHERE alone <> '' AND NOT starts_with(alone, :me)
)
SELECT queue, {soonest}, (SELECT count(*) FROM told), {unforced} FROM drawn;
COMMIT;
{force}
