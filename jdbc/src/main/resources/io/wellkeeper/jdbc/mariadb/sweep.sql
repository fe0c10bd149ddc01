-- Sends the tickets of ended sessions away, and tells those who watch them.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
UPDATE {ticket} t LEFT JOIN {session} s ON s.id = t.session SET t.gone = TRUE WHERE t.name = :name AND s.id IS NULL;
INSERT INTO {inbox} (session, text, since)
SELECT w.session, CONCAT('d', t.number, ':', t.session, ':', t.request, ':', t.generation), UTC_TIMESTAMP(6)
FROM {ticket} t JOIN {watch} w ON w.name = t.name AND w.number = t.number AND w.generation = t.generation
WHERE t.name = :name AND t.gone ORDER BY t.number;
SELECT DISTINCT w.session AS ring
FROM {ticket} t JOIN {watch} w ON w.name = t.name AND w.number = t.number AND w.generation = t.generation
WHERE t.name = :name AND t.gone;
DELETE w FROM {ticket} t JOIN {watch} w ON w.name = t.name AND w.number = t.number AND w.generation = t.generation
WHERE t.name = :name AND t.gone;
DELETE FROM {ticket} WHERE name = :name AND gone;
COMMIT
