-- Which tickets live, and the milliseconds left to their sessions. The plus keeps SQLite from looking for the numbers
-- one by one under each name.
DELETE FROM {session} WHERE expires <= {now};
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits, max(1, s.expires - {now})
FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name IN (SELECT value FROM json_each(:names)) AND +t.number IN (SELECT value FROM json_each(:numbers))
