-- Takes a lock that is free, or keeps it, and never for less than before, as in renew.sql. Gives its token as the
-- generated key; 0 if the lock is another owner's, or if this owner was the last to give it back (see release.sql). The
-- columns get their values in this order, so the columns behind the owner see whether the lock is ours.
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
