-- The names with tickets of ended sessions; what those watched is forgotten.
DELETE FROM {watch} w WHERE NOT EXISTS (SELECT FROM {session} s WHERE s.id = w.session);
SELECT DISTINCT name FROM {ticket} t WHERE NOT EXISTS (SELECT FROM {session} s WHERE s.id = t.session)
