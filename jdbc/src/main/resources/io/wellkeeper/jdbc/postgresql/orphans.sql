-- Ends the sessions whose time is up, but those that a transaction guards; shows the names with tickets of such that have ended,
-- all of them or some of those that somebody asks for.
UPDATE {session} SET expires = '-infinity' WHERE id IN (
  SELECT id FROM {session} WHERE expires <= clock_timestamp() AND expires > '-infinity' FOR UPDATE SKIP LOCKED)
RETURNING CASE WHEN NOT starts_with(id, 'p') THEN pg_notify('{channel}' || id, 'x') END;
DELETE FROM {session} s WHERE expires = '-infinity' AND NOT EXISTS (SELECT FROM {ticket} WHERE session = s.id);
SELECT DISTINCT name FROM {ticket} t
WHERE NOT EXISTS (SELECT FROM {session} s WHERE s.id = t.session AND s.expires > '-infinity'){among}
