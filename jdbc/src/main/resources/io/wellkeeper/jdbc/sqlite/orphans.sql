-- The names with tickets of ended sessions. The watches of ended sessions, and the messages to them, are deleted.
DELETE FROM {watch} WHERE session NOT IN (SELECT id FROM {session});
DELETE FROM {inbox} WHERE session NOT IN (SELECT id FROM {session});
SELECT DISTINCT name FROM {ticket} WHERE session NOT IN (SELECT id FROM {session})
