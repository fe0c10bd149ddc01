-- Takes a lock that is free, or keeps it, and never for less than before, because this may be carried out late. Gives
-- its token; nothing if the lock is another owner's, or if this owner was the last to give it back (see release.sql).
INSERT INTO {table} AS l (name, owner, token, expires, metadata)
VALUES (:name, :owner, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint),
  clock_timestamp() + :micros * interval '1 microsecond', :metadata)
ON CONFLICT (name) DO UPDATE SET
  owner = excluded.owner,
  token = CASE WHEN l.owner = excluded.owner THEN l.token ELSE greatest(l.token + 1, excluded.token) END,
  expires = greatest(l.expires, excluded.expires),
  metadata = excluded.metadata
WHERE l.owner = excluded.owner
  OR l.expires <= clock_timestamp() AND (l.owner <> '' OR l.metadata <> excluded.owner)
RETURNING token
