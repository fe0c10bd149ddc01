-- Begins a session, one after the other; with the name of one that polls if as many listen as may. Shows which it is.
SELECT pg_advisory_xact_lock(hashtextextended('{session}', 0));
INSERT INTO {session} (id, client, expires)
SELECT CASE WHEN (SELECT count(*) FROM {session} WHERE expires > clock_timestamp() AND NOT starts_with(id, 'p')) < {listeners}
  THEN :me ELSE :poller END, :client, clock_timestamp() + :millis * interval '1 millisecond'
WHERE NOT EXISTS (SELECT FROM {session} WHERE id IN (:me, :poller));
SELECT id, {listeners} FROM {session} WHERE id IN (:me, :poller)
