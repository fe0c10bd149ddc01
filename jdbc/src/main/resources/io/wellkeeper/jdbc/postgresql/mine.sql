-- The tickets of this session, and their locks. Each queue is read once.
SELECT word AS queue, l.name FROM {lock} l, string_to_table(btrim(l.queue), ' ') AS word
WHERE l.name IN (SELECT name FROM {ticket} WHERE session = :me) AND split_part(word, ':', 2) = :me
