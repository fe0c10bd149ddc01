-- The tickets of this session, and their locks.
SELECT {word} AS queue, t.name
FROM {ticket} t JOIN {lock} l ON l.name = t.name WHERE t.session = :me
