-- Forgets sessions that have ended, and have no tickets any more. It looks for their tickets one by one.
DELETE FROM {session} s WHERE expires = '-infinity' AND NOT EXISTS (SELECT FROM {ticket} WHERE session = s.id)
