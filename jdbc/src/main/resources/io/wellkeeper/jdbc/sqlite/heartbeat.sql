-- Ends all sessions whose time is up, makes this one live longer, and counts the sessions that have ended and have left
-- something.
DELETE FROM {session} WHERE expires <= {now};
UPDATE {session} SET expires = {now} + :millis WHERE id = :me;
SELECT (SELECT count(*) FROM {session} WHERE id = :me), (SELECT count(*) FROM (
  SELECT session FROM {ticket} UNION SELECT session FROM {watch} UNION SELECT session FROM {inbox}
  EXCEPT SELECT id FROM {session}))
