-- Watches a ticket; shows the milliseconds left to its session, or nothing if it is gone.
SELECT FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
INSERT INTO {watch} (name, number, generation, session)
SELECT t.name, t.number, t.generation, :me FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner
  AND EXISTS (SELECT FROM {session} WHERE id = :me)
ON CONFLICT DO NOTHING;
SELECT greatest(1, CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint))
FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner
