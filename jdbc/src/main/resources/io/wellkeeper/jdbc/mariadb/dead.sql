-- Which sessions' time is up, and some of the names, among those that somebody asks for, with tickets of ended sessions.
SELECT id AS dead FROM {session} WHERE expires <= UTC_TIMESTAMP(6) AND NOT ended;
SELECT DISTINCT t.name FROM {ticket} t LEFT JOIN {session} s ON s.id = t.session
WHERE t.name IN (:names) AND (s.id IS NULL OR s.ended) LIMIT 100
