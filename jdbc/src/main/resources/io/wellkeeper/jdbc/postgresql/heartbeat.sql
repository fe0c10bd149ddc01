-- Makes a session live longer, if it lives; and looks whose time is up, and how full the queue of notifications is, which also
-- clears away what all listeners have read.
WITH mine AS (
  UPDATE {session} SET expires = clock_timestamp() + :millis * interval '1 millisecond'
  WHERE id = :me AND expires > clock_timestamp() RETURNING id
)
SELECT (SELECT count(*) FROM mine), (SELECT count(*) FROM {session} WHERE expires <= clock_timestamp()),
  pg_notification_queue_usage()
