-- Keeps a lock for longer, and never for less: this may be carried out late.
UPDATE {table} SET
  expired_after = greatest(expired_after, timezone('utc', clock_timestamp()) + (:micros + :grain) * interval '1 microsecond')
WHERE region = :region AND lock_key = :name AND client_id = :owner
  AND expired_after >= timezone('utc', clock_timestamp())
