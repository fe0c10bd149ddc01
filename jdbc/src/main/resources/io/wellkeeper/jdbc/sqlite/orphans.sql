-- The names with tickets of ended sessions; what those watched is forgotten, and what they were told.
DELETE FROM {watch} WHERE session NOT IN (SELECT id FROM {session});
DELETE FROM {inbox} WHERE session NOT IN (SELECT id FROM {session});
SELECT DISTINCT name FROM {ticket} WHERE session NOT IN (SELECT id FROM {session})
