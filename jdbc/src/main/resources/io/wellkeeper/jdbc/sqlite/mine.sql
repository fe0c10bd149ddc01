-- The tickets of this session, and their locks.
SELECT number, generation, session, request, mode, permits, name FROM {ticket} WHERE session = :me
