-- Tells this session of a departure that it has seen.
SELECT pg_notify('{channel}' || id, 'd' || CAST(:ticket AS text)) FROM {session} WHERE id = :me AND expires > '-infinity'
