-- Begins a session; none for a while if the table was emptied: then it was this one that has written 'present' anew. Shows whether
-- it has begun, and how many milliseconds are left until one may.
START TRANSACTION;
INSERT IGNORE INTO {session} (id, client, expires) VALUES ('present', :me, '9000-01-01');
INSERT INTO {session} (id, client, expires)
SELECT 'pause', '', UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND FROM {session} WHERE id = 'present' AND client = :me
ON DUPLICATE KEY UPDATE expires = VALUES(expires), ended = FALSE;
INSERT IGNORE INTO {session} (id, client, expires)
SELECT :me, :client, UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND FROM DUAL
WHERE NOT EXISTS (SELECT 1 FROM {session} WHERE id = 'pause' AND expires > UTC_TIMESTAMP(6));
SELECT COUNT(id), COALESCE((SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires) DIV 1000 FROM {session}
  WHERE id = 'pause' AND expires > UTC_TIMESTAMP(6)), 0)
FROM {session} WHERE id = :me;
COMMIT
