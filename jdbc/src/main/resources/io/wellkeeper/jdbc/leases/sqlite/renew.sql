-- Keeps a lock for longer. The token is 0 for whoever does not know it.
UPDATE {table} SET expires = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :micros
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > unixepoch('subsec') * 1000000
