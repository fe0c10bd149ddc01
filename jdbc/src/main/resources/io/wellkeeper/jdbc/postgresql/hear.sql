-- Tells this session of a departure that it has seen.
SELECT pg_notify('{channel}' || CAST(:me AS text), 'd' || CAST(:ticket AS text))
