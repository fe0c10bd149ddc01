-- Takes a lock that is free, or keeps it, and never for less than before, because this may be carried out late. Gives
-- its token; nothing if the lock is another owner's, or if this owner was the last to give it back (see release.sql).
-- Adding one to the largest number would give a floating-point number; abs() makes it a failure.
INSERT INTO {table} AS l (name, owner, token, expires, metadata)
VALUES (:name, :owner, CAST(unixepoch('subsec') * 1000000 AS INTEGER),
  CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :micros, :metadata)
ON CONFLICT (name) DO UPDATE SET
  owner = excluded.owner,
  token = CASE WHEN l.owner = excluded.owner THEN l.token ELSE max(abs(-l.token - 1), excluded.token) END,
  expires = max(l.expires, excluded.expires),
  metadata = excluded.metadata
WHERE l.owner = excluded.owner
  OR l.expires <= unixepoch('subsec') * 1000000 AND (l.owner <> '' OR l.metadata <> excluded.owner)
RETURNING token
