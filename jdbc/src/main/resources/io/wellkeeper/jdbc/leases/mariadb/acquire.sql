-- Takes a lock that is free, or keeps it, and never for less than before, as in renew.sql. Gives its token as the generated
-- key; 0 if it is somebody else's, or for the owner who gave it back last (see release.sql). The columns get their values in
-- this order, so that behind the owner it is known whose the lock is.
INSERT INTO {table} (name, owner, token, expires, metadata)
VALUES (:name, :owner, LAST_INSERT_ID(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))),
  UTC_TIMESTAMP(6) + INTERVAL :micros MICROSECOND, :metadata)
ON DUPLICATE KEY UPDATE
  token = CASE
    WHEN owner = VALUES(owner) THEN LAST_INSERT_ID(token)
    WHEN expires <= UTC_TIMESTAMP(6) AND (owner <> '' OR metadata <> VALUES(owner))
      THEN LAST_INSERT_ID(GREATEST(token + 1, VALUES(token)))
    ELSE token + LAST_INSERT_ID(0) END,
  owner = IF(expires <= UTC_TIMESTAMP(6) AND (owner <> '' OR metadata <> VALUES(owner)), VALUES(owner), owner),
  expires = IF(owner = VALUES(owner), GREATEST(expires + INTERVAL 1 MICROSECOND, VALUES(expires)), expires),
  metadata = IF(owner = VALUES(owner), VALUES(metadata), metadata)
