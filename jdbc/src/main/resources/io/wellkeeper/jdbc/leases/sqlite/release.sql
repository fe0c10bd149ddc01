-- Gives a lock back. The token is 0 if the client does not know it. The metadata names the owner who gave the lock back
-- last. An earlier request of that owner that is carried out only after this gets no lease: nobody would give it back.
UPDATE {table} SET owner = '', expires = 0, metadata = owner
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > unixepoch('subsec') * 1000000
