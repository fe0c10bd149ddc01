-- Begins a session.
INSERT OR IGNORE INTO {session} (id, client, expires) VALUES (:me, :client, {now} + :millis)
