-- Begins a session.
INSERT INTO {session} (id, client, expires)
VALUES (:me, :client, clock_timestamp() + :millis * interval '1 millisecond')
ON CONFLICT (id) DO NOTHING
