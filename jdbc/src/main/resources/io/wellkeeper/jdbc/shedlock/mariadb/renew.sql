-- Keeps a lock for longer, and never for less time than before, because this may be carried out late. If it is, the
-- lease gets a millisecond longer, for drivers that count only rows that change.
UPDATE {table} SET
  lock_until = GREATEST(lock_until + INTERVAL 1000 MICROSECOND, UTC_TIMESTAMP(3) + INTERVAL (:micros + :grain) MICROSECOND)
WHERE name = :name AND locked_by = :owner AND lock_until > UTC_TIMESTAMP(3)
