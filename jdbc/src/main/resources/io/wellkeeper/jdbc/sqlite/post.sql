-- Puts up another notice, unless there has been another since; sends it to the others who watch it.
INSERT INTO {lock} (name, token, notice, version, post) VALUES (:name, 0, :text, {now} * 1000, :post)
ON CONFLICT (name) DO UPDATE SET notice = excluded.notice, version = max(version + 1, excluded.version),
  post = excluded.post
WHERE version = :seen;
INSERT INTO {inbox} (session, text)
SELECT w.session, 'n' || l.version || ':' || :length || ':' || :text || :name
FROM {lock} l JOIN {watch} w ON w.name = l.name AND w.number = 0 AND w.session <> :me
WHERE l.name = :name AND l.post = :post;
SELECT count(*), coalesce(max(version), 0) FROM {lock} WHERE name = :name AND post = :post
