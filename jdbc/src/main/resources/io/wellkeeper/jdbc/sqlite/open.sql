-- Begins a session. If the table was emptied, no session begins for a while. Shows whether the session has begun, and
-- how many milliseconds are left until a session may begin.
DELETE FROM {session} WHERE expires <= {now};
INSERT OR IGNORE INTO {session} (id, client, expires) VALUES ('present', '', 221845392000000);
INSERT OR REPLACE INTO {session} (id, client, expires) SELECT 'pause', '', {now} + :millis WHERE changes() > 0;
INSERT OR IGNORE INTO {session} (id, client, expires) SELECT :me, :client, {now} + :millis
WHERE NOT EXISTS (SELECT 1 FROM {session} WHERE id = 'pause');
SELECT count(*), (SELECT coalesce(max(1, max(expires) - {now}), 0) FROM {session} WHERE id = 'pause')
FROM {session} WHERE id = :me
