-- Gives a lock back. The row stays, for ShedLock relies on it. The grain is by how much the table may round a time up.
UPDATE {table} SET lock_until = timezone('utc', clock_timestamp()) - :grain * interval '1 microsecond'
WHERE name = :name AND locked_by = :owner AND lock_until > timezone('utc', clock_timestamp())
