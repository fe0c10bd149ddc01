-- Removes the tickets of ended sessions, and tells the sessions that watch them. Shows that it has done so.
INSERT INTO {inbox} (session, text)
SELECT w.session, 'd' || t.number || ':' || t.session || ':' || t.request || ':' || t.generation
FROM {ticket} t JOIN {watch} w ON w.name = t.name AND w.number = t.number AND w.generation = t.generation
WHERE t.name = :name AND t.session NOT IN (SELECT id FROM {session});
DELETE FROM {watch} WHERE name = :name AND number IN (
  SELECT number FROM {ticket} WHERE name = :name AND session NOT IN (SELECT id FROM {session}));
DELETE FROM {ticket} WHERE name = :name AND session NOT IN (SELECT id FROM {session});
SELECT 1
