-- Gives a lock back. The token is 0 if the client does not know it.
UPDATE {table} SET owner = '', expires = '-infinity', metadata = ''
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > clock_timestamp()
