-- Puts up another notice, unless there has been another since; tells those who watch it.
INSERT INTO {lock} AS l (name, token, notice, version, post)
VALUES (:name, 0, :text, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint), :post)
ON CONFLICT (name) DO UPDATE SET notice = excluded.notice, version = greatest(l.version + 1, excluded.version),
  post = excluded.post
WHERE l.version = :seen;
WITH up AS (
  SELECT name FROM {lock} WHERE name = :name AND post = :post
), told AS (
  SELECT pg_notify('{channel}' || session, 'n' || :name) FROM {watch}
  WHERE name = (SELECT name FROM up) AND number = 0
)
SELECT (SELECT count(*) FROM up), (SELECT count(*) FROM told)
