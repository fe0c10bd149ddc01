-- Ends the sessions whose time is up, except those that a transaction guards; then does as bury.sql.
UPDATE {session} SET expires = '-infinity' WHERE id IN (
  SELECT id FROM {session} WHERE expires <= clock_timestamp() AND expires > '-infinity' FOR UPDATE SKIP LOCKED)
RETURNING CASE WHEN NOT starts_with(id, 'p') THEN pg_notify('{channel}' || id, 'x') END;
{bury}
