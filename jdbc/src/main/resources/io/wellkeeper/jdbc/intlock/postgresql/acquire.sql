-- Takes a lock that is free, or keeps it, and never for less than before: this may be carried out late. Gives 1; nothing if
-- the lock is another owner's. Times are UTC. The grain is the part of a time that the table may cut off.
INSERT INTO {table} AS l (region, lock_key, client_id, created_date, expired_after)
VALUES (:region, :name, :owner, timezone('utc', clock_timestamp()),
  timezone('utc', clock_timestamp()) + (:micros + :grain) * interval '1 microsecond')
ON CONFLICT (lock_key, region) DO UPDATE SET
  client_id = excluded.client_id,
  created_date = excluded.created_date,
  expired_after = greatest(l.expired_after, excluded.expired_after)
WHERE l.client_id = excluded.client_id OR l.expired_after < timezone('utc', clock_timestamp())
RETURNING 1
