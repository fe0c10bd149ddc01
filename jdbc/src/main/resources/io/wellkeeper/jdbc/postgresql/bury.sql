-- Deletes the rows of sessions that have ended and have no tickets any more. The tickets are looked for session by
-- session.
DELETE FROM {session} s WHERE expires = '-infinity' AND NOT EXISTS (SELECT FROM {ticket} WHERE session = s.id)
