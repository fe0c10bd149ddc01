-- The names with tickets of ended sessions, and which ended sessions have left something else.
SELECT w.session AS dead FROM {watch} w LEFT JOIN {session} s ON s.id = w.session WHERE s.id IS NULL
UNION
SELECT i.session FROM {inbox} i LEFT JOIN {session} s ON s.id = i.session
WHERE s.id IS NULL AND i.since < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE;
SELECT DISTINCT t.name FROM {ticket} t LEFT JOIN {session} s ON s.id = t.session WHERE s.id IS NULL
