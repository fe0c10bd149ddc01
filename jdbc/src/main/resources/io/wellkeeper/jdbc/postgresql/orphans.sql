-- Does as expire.sql; then shows the names with tickets of sessions that have ended.
{expire};
SELECT DISTINCT name FROM {ticket} t
WHERE NOT EXISTS (SELECT FROM {session} s WHERE s.id = t.session AND s.expires > '-infinity')
