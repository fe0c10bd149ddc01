-- Ends a session; a transaction that guards it is waited for. While it has tickets its row stays.
UPDATE {session} SET expires = '-infinity' WHERE id IN (SELECT id FROM {session} WHERE id = :me FOR UPDATE);
DELETE FROM {session} WHERE id = :me AND NOT EXISTS (SELECT FROM {ticket} WHERE session = :me)
