-- Keeps a lock for longer.
UPDATE {table} SET lock_until = timezone('utc', clock_timestamp()) + :micros * interval '1 microsecond'
WHERE name = :name AND locked_by = :owner AND lock_until > timezone('utc', clock_timestamp())
