-- Tells this session of a departure that it has seen.
INSERT INTO {inbox} (session, text) SELECT id, 'd' || :ticket FROM {session} WHERE id = :me
