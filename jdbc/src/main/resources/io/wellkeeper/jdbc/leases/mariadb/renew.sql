-- Keeps a lock for longer, and never for less time than before, because this may be carried out late. If it is, the
-- lease gets a microsecond longer, for drivers that count only rows that change. The token is 0 if the client does not
-- know it.
UPDATE {table} SET expires = GREATEST(expires + INTERVAL 1 MICROSECOND, UTC_TIMESTAMP(6) + INTERVAL :micros MICROSECOND)
WHERE name = :name AND owner = :owner AND (token = :token OR :token = 0) AND expires > UTC_TIMESTAMP(6)
