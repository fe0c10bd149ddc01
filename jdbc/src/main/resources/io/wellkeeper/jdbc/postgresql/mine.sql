-- The tickets of this session, and their locks.
SELECT substring(l.queue FROM ' (' || t.number || ':[^ ]+) ') AS queue, t.name
FROM {ticket} t JOIN {lock} l ON l.name = t.name WHERE t.session = :me
