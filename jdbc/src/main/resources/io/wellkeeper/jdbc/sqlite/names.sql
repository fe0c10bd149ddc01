-- The names with living tickets that begin with a prefix.
SELECT DISTINCT t.name FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE substr(t.name, 1, length(:prefix)) = :prefix
