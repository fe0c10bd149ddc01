-- Takes a lock that is free, or keeps it, and never for less than before: this may be carried out late. Gives 1; nothing if
-- the lock is another owner's. Times are UTC. The grain is the part of a time that the table may cut off.
INSERT INTO {table} AS l (name, lock_until, locked_at, locked_by)
VALUES (:name, timezone('utc', clock_timestamp()) + (:micros + :grain) * interval '1 microsecond',
  timezone('utc', clock_timestamp()), :owner)
ON CONFLICT (name) DO UPDATE SET
  lock_until = greatest(l.lock_until, excluded.lock_until),
  locked_at = excluded.locked_at,
  locked_by = excluded.locked_by
WHERE l.locked_by = excluded.locked_by OR l.lock_until <= timezone('utc', clock_timestamp())
RETURNING 1
