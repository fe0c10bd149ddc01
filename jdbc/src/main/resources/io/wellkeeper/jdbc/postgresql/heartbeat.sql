-- Makes a session live longer, if it lives; and ends all whose time is up.
WITH mine AS (
  UPDATE {session} SET expires = clock_timestamp() + :millis * interval '1 millisecond'
  WHERE id = :me AND expires > clock_timestamp() RETURNING id
), ended AS (
  DELETE FROM {session} WHERE id IN (
    SELECT id FROM {session} WHERE expires <= clock_timestamp() FOR UPDATE SKIP LOCKED)
  RETURNING id, pg_notify('{channel}' || id, 'x')
)
SELECT (SELECT count(*) FROM mine), (SELECT count(*) FROM ended)
