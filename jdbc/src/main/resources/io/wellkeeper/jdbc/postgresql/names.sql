-- The names with tickets that begin with a prefix.
SELECT DISTINCT t.name FROM {ticket} t JOIN {session} s ON s.id = t.session AND s.expires > clock_timestamp()
WHERE starts_with(t.name, :prefix)
