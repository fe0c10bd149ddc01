-- Gives a lock back. The token is 0 if the client does not know it.
UPDATE {table} SET owner = '', expires = '1970-01-01', metadata = ''
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > UTC_TIMESTAMP(6)
