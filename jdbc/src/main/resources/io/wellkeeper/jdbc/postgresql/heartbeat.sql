-- Makes a session live longer, if it lives, and counts the sessions whose time is up. Also looks how full the queue of
-- notifications is, which at the same time removes the notifications that all listeners have read.
WITH mine AS (
  UPDATE {session} SET expires = clock_timestamp() + :millis * interval '1 millisecond'
  WHERE id = :me AND expires > clock_timestamp() RETURNING id
)
SELECT (SELECT count(*) FROM mine), (SELECT count(*) FROM {session} WHERE expires <= clock_timestamp()),
  pg_notification_queue_usage()
