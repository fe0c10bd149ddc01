-- The living tickets of a name, with what is written on them.
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits, t.metadata
FROM {ticket} t JOIN {session} s ON s.id = t.session AND s.expires > {now}
WHERE t.name = :name ORDER BY t.number
