-- Gives a lock back. The row stays, for ShedLock relies on it.
UPDATE {table} SET lock_until = timezone('utc', clock_timestamp())
WHERE name = :name AND locked_by = :owner AND lock_until > timezone('utc', clock_timestamp())
