-- Ends a session; waits for a transaction that guards the session. The row of the session stays while the session has
-- tickets.
UPDATE {session} SET expires = '-infinity' WHERE id IN (SELECT id FROM {session} WHERE id = :me FOR UPDATE);
DELETE FROM {session} WHERE id = :me AND NOT EXISTS (SELECT FROM {ticket} WHERE session = :me)
