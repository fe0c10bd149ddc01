-- Gives a lock back. The row stays, for ShedLock relies on it. The grain is by how much the table may round a time up.
UPDATE {table} SET lock_until = UTC_TIMESTAMP(3) - INTERVAL :grain MICROSECOND
WHERE name = :name AND locked_by = :owner AND lock_until > UTC_TIMESTAMP(3)
