-- The names with living tickets that begin with a prefix.
SELECT DISTINCT t.name FROM {ticket} t JOIN {session} s ON s.id = t.session AND NOT s.ended
WHERE LEFT(t.name, LENGTH(:prefix)) = :prefix
