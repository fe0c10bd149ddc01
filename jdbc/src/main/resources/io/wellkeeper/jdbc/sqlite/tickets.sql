-- The living tickets of a name.
DELETE FROM {session} WHERE expires <= {now};
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits
FROM {ticket} t JOIN {session} s ON s.id = t.session WHERE t.name = :name ORDER BY t.number
