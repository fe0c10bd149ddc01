-- Takes a lock that is free, or keeps it, and never for less than before: this may be carried out late. Gives its token;
-- nothing if it is somebody else's, or for the owner who gave it back last (see release.sql). One more than the largest number
-- would be a fraction; as an absolute value it is a failure.
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
