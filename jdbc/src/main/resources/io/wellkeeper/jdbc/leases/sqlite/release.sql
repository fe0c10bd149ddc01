-- Gives a lock back. The token is 0 for whoever does not know it. The metadata names the owner who gave it back: if an earlier
-- request of that owner is carried out only after this, nobody would give back the lease that it gets.
UPDATE {table} SET owner = '', expires = 0, metadata = owner
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > unixepoch('subsec') * 1000000
