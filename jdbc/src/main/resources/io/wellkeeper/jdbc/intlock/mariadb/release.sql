-- Gives a lock back.
DELETE FROM {table}
WHERE REGION = :region AND LOCK_KEY = :name AND CLIENT_ID = :owner AND EXPIRED_AFTER >= UTC_TIMESTAMP(6)
