-- Takes a lock that is free, or keeps it, and never for less than before, as in renew.sql. Gives 1 as the generated
-- key; 0 if the lock is another owner's. The columns get their values in this order, so the columns behind the owner
-- see whether the lock is ours. Times are UTC. The grain is the part of a time that the table may cut off.
INSERT INTO {table} (REGION, LOCK_KEY, CLIENT_ID, CREATED_DATE, EXPIRED_AFTER)
VALUES (:region, :name, :owner, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL LAST_INSERT_ID(1) * (:micros + :grain) MICROSECOND)
ON DUPLICATE KEY UPDATE
  CLIENT_ID = CASE
    WHEN CLIENT_ID = VALUES(CLIENT_ID) THEN CLIENT_ID
    WHEN EXPIRED_AFTER < UTC_TIMESTAMP(6) THEN VALUES(CLIENT_ID)
    ELSE IF(LAST_INSERT_ID(0) = 0, CLIENT_ID, CLIENT_ID) END,
  CREATED_DATE = IF(CLIENT_ID = VALUES(CLIENT_ID), VALUES(CREATED_DATE), CREATED_DATE),
  EXPIRED_AFTER = IF(CLIENT_ID = VALUES(CLIENT_ID),
    GREATEST(EXPIRED_AFTER + INTERVAL 1 MICROSECOND, VALUES(EXPIRED_AFTER)), EXPIRED_AFTER)
