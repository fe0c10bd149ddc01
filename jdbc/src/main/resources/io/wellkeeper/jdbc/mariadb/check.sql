-- Which tickets live, and the milliseconds left to their sessions.
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits,
  IF(s.expires > UTC_TIMESTAMP(6), TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), s.expires) DIV 1000 + 1, 50),
  IF(s.expires <= UTC_TIMESTAMP(6), s.id, NULL) AS dead
FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name IN (:names) AND t.number IN (:numbers)
