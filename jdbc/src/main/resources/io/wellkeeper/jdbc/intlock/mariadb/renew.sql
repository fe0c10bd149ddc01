-- Keeps a lock for longer, and never for less time than before, because this may be carried out late. If it is, the
-- lease gets a microsecond longer, for drivers that count only rows that change.
UPDATE {table} SET
  EXPIRED_AFTER = GREATEST(EXPIRED_AFTER + INTERVAL 1 MICROSECOND, UTC_TIMESTAMP(6) + INTERVAL (:micros + :grain) MICROSECOND)
WHERE REGION = :region AND LOCK_KEY = :name AND CLIENT_ID = :owner AND EXPIRED_AFTER >= UTC_TIMESTAMP(6)
