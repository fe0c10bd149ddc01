-- Gives a lock back. The row stays, for ShedLock relies on it.
UPDATE {table} SET lock_until = UTC_TIMESTAMP(3)
WHERE name = :name AND locked_by = :owner AND lock_until > UTC_TIMESTAMP(3)
