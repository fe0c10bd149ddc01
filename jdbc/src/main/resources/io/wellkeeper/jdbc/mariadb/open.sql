-- Begins a session.
INSERT IGNORE INTO {session} (id, client, expires)
VALUES (:me, :client, UTC_TIMESTAMP(6) + INTERVAL :millis * 1000 MICROSECOND)
