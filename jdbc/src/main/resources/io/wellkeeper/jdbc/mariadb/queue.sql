-- Everything that a sweep of a queue needs to know, read without a lock. The sessions are read after the queue: so a
-- session that has a ticket in the queue and is not among the living ones has ended.
SELECT queue, watches, alone FROM {lock} WHERE name = :name;
SELECT id AS living FROM {session} WHERE NOT ended;
SELECT CAST(t.number AS CHAR) AS gone FROM {ticket} t LEFT JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND (s.id IS NULL OR s.ended)
