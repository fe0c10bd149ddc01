-- Keeps a lock for longer, and never for less time than before, because this may be carried out late. The token is 0 if
-- the client does not know it.
UPDATE {table} SET expires = max(expires, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :micros)
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > unixepoch('subsec') * 1000000
