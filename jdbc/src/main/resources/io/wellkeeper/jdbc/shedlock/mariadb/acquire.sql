-- Takes a lock that is free, or keeps it, and never for less than before, as in renew.sql. Gives 1 as the generated
-- key; 0 if the lock is another owner's. The columns get their values in this order, so the columns behind the owner
-- see whether the lock is ours. Times are UTC. The grain is the part of a time that the table may cut off.
INSERT INTO {table} (name, lock_until, locked_at, locked_by)
VALUES (:name, UTC_TIMESTAMP(3) + INTERVAL LAST_INSERT_ID(1) * (:micros + :grain) MICROSECOND, UTC_TIMESTAMP(3), :owner)
ON DUPLICATE KEY UPDATE
  locked_by = CASE
    WHEN locked_by = VALUES(locked_by) THEN locked_by
    WHEN lock_until <= UTC_TIMESTAMP(3) THEN VALUES(locked_by)
    ELSE IF(LAST_INSERT_ID(0) = 0, locked_by, locked_by) END,
  locked_at = IF(locked_by = VALUES(locked_by), VALUES(locked_at), locked_at),
  lock_until = IF(locked_by = VALUES(locked_by),
    GREATEST(lock_until + INTERVAL 1000 MICROSECOND, VALUES(lock_until)), lock_until)
