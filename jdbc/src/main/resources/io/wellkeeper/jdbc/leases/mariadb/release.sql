-- Gives a lock back. The token is 0 if the client does not know it. The metadata names the owner who gave the lock back
-- last: if an earlier request of that owner is carried out only after this, it gets no lease, which nobody would give back.
UPDATE {table} SET metadata = owner, owner = '', expires = '1970-01-01'
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > UTC_TIMESTAMP(6)
