-- The living tickets of a name.
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits,
  IF(s.expires <= UTC_TIMESTAMP(6), s.id, NULL) AS dead
FROM {ticket} t JOIN {session} s ON s.id = t.session WHERE t.name = :name ORDER BY t.number
