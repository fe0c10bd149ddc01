-- Puts up another notice, unless there has been another since; sends it to the others who watch it, if it is
-- short enough.
BEGIN;
INSERT INTO {lock} AS l (name, token, notice, version, post)
VALUES (:name, 0, :text, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint), :post)
ON CONFLICT (name) DO UPDATE SET notice = excluded.notice, version = greatest(l.version + 1, excluded.version),
  post = excluded.post
WHERE l.version = :seen;
WITH up AS (
  SELECT version, watches FROM {lock} WHERE name = :name AND post = :post
), told AS (
  SELECT pg_notify('{channel}' || watcher, CASE WHEN octet_length(:text) < 7000
    THEN 'n' || version || ':' || :length || ':' || :text || :name ELSE 'l' || :name END)
  FROM (SELECT version, unnest(regexp_matches(watches, ' 0:0:([0-9a-z]+)(?= )', 'g')) AS watcher FROM up) AS watching
  WHERE watcher <> :me AND NOT starts_with(watcher, 'p')
)
SELECT (SELECT count(*) FROM up), (SELECT coalesce(max(version), 0) FROM up), (SELECT count(*) FROM told);
COMMIT
