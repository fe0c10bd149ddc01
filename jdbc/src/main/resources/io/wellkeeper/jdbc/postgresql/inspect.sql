-- The tickets of a name, with what is written on them.
SELECT {word} AS queue, t.metadata
FROM {ticket} t JOIN {lock} l ON l.name = t.name JOIN {session} s ON s.id = t.session AND s.expires > clock_timestamp()
WHERE t.name = :name ORDER BY t.number
