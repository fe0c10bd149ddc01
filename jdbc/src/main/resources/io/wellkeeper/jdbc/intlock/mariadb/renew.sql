-- Keeps a lock for longer, and never for less: this may be carried out late. Then it becomes a microsecond more, for drivers
-- that count only rows that change.
UPDATE {table} SET
  EXPIRED_AFTER = GREATEST(EXPIRED_AFTER + INTERVAL 1 MICROSECOND, UTC_TIMESTAMP(6) + INTERVAL (:micros + :grain) MICROSECOND)
WHERE REGION = :region AND LOCK_KEY = :name AND CLIENT_ID = :owner AND EXPIRED_AFTER >= UTC_TIMESTAMP(6)
