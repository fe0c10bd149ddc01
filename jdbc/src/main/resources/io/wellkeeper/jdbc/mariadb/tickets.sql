-- The living tickets of a name.
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits,
  IF(s.expires <= UTC_TIMESTAMP(6), s.id, NULL) AS dead
FROM {lock} l JOIN {ticket} t ON t.name = l.name AND t.number >= l.base
  JOIN {session} s ON s.id = t.session
WHERE l.name = :name ORDER BY t.number
