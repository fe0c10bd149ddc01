-- Forgets that a session watches something.
UPDATE {lock} SET watches = REPLACE(watches, CONCAT(' ', :watch, ' '), ' ') WHERE name = :name
