-- Gives a lock back. The token is 0 for whoever does not know it. The metadata names the owner who gave it back: if an earlier
-- request of that owner is carried out only after this, nobody would give back the lease that it gets.
UPDATE {table} SET metadata = owner, owner = '', expires = '1970-01-01'
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > UTC_TIMESTAMP(6)
