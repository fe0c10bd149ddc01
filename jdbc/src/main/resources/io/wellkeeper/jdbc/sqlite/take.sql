-- Takes the next number and shows everything ahead of it. Watches the nearest ticket of others, and tells the sessions
-- that have been alone. After the largest number that there is comes 2^58, which is beyond the last one that is given
-- to anybody, too: adding one would make a floating-point number, and the same number again.
DELETE FROM {session} WHERE expires <= {now};
INSERT INTO {lock} (name, token) SELECT :name, {now} * 1000 FROM {session} WHERE id = :me
ON CONFLICT (name) DO UPDATE SET token = max(
  CASE WHEN token >= 9223372036854775807 THEN 288230376151711744 ELSE token + 1 END, excluded.token);
INSERT OR IGNORE INTO {ticket} (name, number, generation, session, request, mode, permits, metadata)
SELECT l.name, l.token, 0, s.id, :request, :mode, :permits, :metadata
FROM {lock} l JOIN {session} s ON s.id = :me WHERE l.name = :name;
INSERT OR IGNORE INTO {watch} (name, number, generation, session)
SELECT t.name, t.number, t.generation, :me
FROM {ticket} mine JOIN {ticket} t ON t.name = mine.name AND t.number < mine.number JOIN {session} s ON s.id = t.session
WHERE mine.session = :me AND mine.request = :request AND mine.name = :name AND t.session <> :me
ORDER BY t.number DESC LIMIT 1;
INSERT INTO {inbox} (session, text)
SELECT t.session, 'a' || t.request FROM {ticket} mine JOIN {ticket} t ON t.name = mine.name AND t.number < mine.number
WHERE mine.session = :me AND mine.request = :request AND mine.name = :name AND t.alone AND t.session <> :me;
UPDATE {ticket} SET alone = 0 WHERE name = :name AND alone AND session <> :me
  AND number < (SELECT number FROM {ticket} WHERE session = :me AND request = :request AND name = :name);
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits, max(1, s.expires - {now})
FROM {ticket} mine JOIN {session} m ON m.id = mine.session
  JOIN {ticket} t ON t.name = mine.name AND t.number <= mine.number JOIN {session} s ON s.id = t.session
WHERE mine.session = :me AND mine.request = :request AND mine.name = :name ORDER BY t.number
