-- The sessions whose time is up, the messages to sessions that are gone, and the names with tickets of ended sessions.
SELECT id AS dead FROM {session} WHERE expires <= UTC_TIMESTAMP(6) AND NOT ended;
SELECT CAST(i.id AS CHAR) AS message FROM {inbox} i LEFT JOIN {session} s ON s.id = i.session
WHERE s.id IS NULL AND i.since < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE LIMIT 1000;
SELECT DISTINCT t.name FROM {ticket} t LEFT JOIN {session} s ON s.id = t.session WHERE s.id IS NULL OR s.ended
