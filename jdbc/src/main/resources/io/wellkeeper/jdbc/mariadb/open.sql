-- Begins a session. If the table was emptied, which shows by this session's having written 'present' anew, no session
-- begins for a while. Shows whether the session has begun, and how many milliseconds are left until a session may
-- begin.
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
