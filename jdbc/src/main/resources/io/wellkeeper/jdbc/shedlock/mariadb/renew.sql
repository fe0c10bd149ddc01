-- Keeps a lock for longer.
UPDATE {table} SET lock_until = UTC_TIMESTAMP(3) + INTERVAL :micros MICROSECOND
WHERE name = :name AND locked_by = :owner AND lock_until > UTC_TIMESTAMP(3)
