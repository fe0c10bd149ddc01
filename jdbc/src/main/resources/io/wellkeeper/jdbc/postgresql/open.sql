-- Begins a session; sessions begin one after the other. If as many sessions listen as may, it gets an id of a session that polls.
-- If the table was emptied, no session begins for a while. Shows whether the session has begun, how many milliseconds are left
-- until one may begin, its id, and how many sessions may listen.
BEGIN;
SELECT pg_advisory_xact_lock(hashtextextended('{session}', 0));
WITH emptied AS (
  INSERT INTO {session} (id, client, expires) VALUES ('present', '', '9000-01-01') ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO {session} AS s (id, client, expires)
SELECT 'pause', '', clock_timestamp() + :millis * interval '1 millisecond' FROM emptied
ON CONFLICT (id) DO UPDATE SET expires = greatest(s.expires, excluded.expires);
INSERT INTO {session} (id, client, expires)
SELECT CASE WHEN (SELECT count(*) FROM {session} WHERE expires > clock_timestamp() AND NOT starts_with(id, 'p')) < {listeners}
  THEN :me ELSE :poller END, :client, clock_timestamp() + :millis * interval '1 millisecond'
WHERE NOT EXISTS (SELECT FROM {session} WHERE id IN (:me, :poller) OR (id = 'pause' AND expires > clock_timestamp()));
SELECT count(s.id), coalesce((SELECT CAST(extract(epoch FROM expires - clock_timestamp()) * 1000 AS bigint) FROM {session}
    WHERE id = 'pause' AND expires > clock_timestamp()), 0), coalesce(max(s.id), ''), {listeners}
FROM {session} s WHERE s.id IN (:me, :poller);
COMMIT
