-- Gives a lock back.
DELETE FROM {table}
WHERE region = :region AND lock_key = :name AND client_id = :owner
  AND expired_after >= timezone('utc', clock_timestamp())
