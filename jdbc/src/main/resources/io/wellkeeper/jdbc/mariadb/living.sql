-- Which sessions live, and the numbers of the tickets of a name that belong to others.
SELECT id AS living FROM {session} WHERE NOT ended;
SELECT CAST(t.number AS CHAR) AS gone FROM {ticket} t LEFT JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND (s.id IS NULL OR s.ended)
