-- Deletes one watch of a session.
UPDATE {lock} SET watches = REPLACE(watches, CONCAT(' ', :watch, ' '), ' ') WHERE name = :name
