-- Keeps a lock for longer, and never for less: this may be carried out late.
UPDATE {table} SET
  lock_until = greatest(lock_until, timezone('utc', clock_timestamp()) + (:micros + :grain) * interval '1 microsecond')
WHERE name = :name AND locked_by = :owner AND lock_until > timezone('utc', clock_timestamp())
