-- The living tickets of a name, with what is written on them.
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits, t.metadata
FROM {lock} l JOIN {ticket} t ON t.name = l.name AND t.number >= l.base
  JOIN {session} s ON s.id = t.session AND s.expires > UTC_TIMESTAMP(6)
WHERE l.name = :name ORDER BY t.number
