-- Keeps a lock for longer. The token is 0 for whoever does not know it.
UPDATE {table} SET expires = UTC_TIMESTAMP(6) + INTERVAL :micros MICROSECOND
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > UTC_TIMESTAMP(6)
