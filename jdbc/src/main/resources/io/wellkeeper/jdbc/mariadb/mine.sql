-- The locks of which this session has tickets, and their queues.
SELECT name, queue FROM {lock} WHERE name IN (SELECT name FROM {ticket} WHERE session = :me)
