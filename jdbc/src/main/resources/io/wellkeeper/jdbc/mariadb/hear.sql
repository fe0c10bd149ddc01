-- Tells this session of a departure that it has seen.
INSERT INTO {inbox} (session, text, since)
SELECT id, CONCAT('d', :ticket), UTC_TIMESTAMP(6) FROM {session} WHERE id = :me AND NOT ended;
SELECT :me AS ring
