-- Watches a ticket; shows the milliseconds left to its session, or nothing if it is gone.
INSERT OR IGNORE INTO {watch} (name, number, generation, session)
SELECT t.name, t.number, t.generation, m.id
FROM {ticket} t JOIN {session} s ON s.id = t.session JOIN {session} m ON m.id = :me
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner;
SELECT max(1, s.expires - {now}) FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner
