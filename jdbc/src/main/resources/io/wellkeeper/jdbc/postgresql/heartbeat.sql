-- Makes a session live longer, if it lives; and looks whose time is up.
WITH mine AS (
  UPDATE {session} SET expires = clock_timestamp() + :millis * interval '1 millisecond'
  WHERE id = :me AND expires > clock_timestamp() RETURNING id
)
SELECT (SELECT count(*) FROM mine), (SELECT count(*) FROM {session} WHERE expires <= clock_timestamp())
