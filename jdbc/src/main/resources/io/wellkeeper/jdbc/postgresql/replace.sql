-- Puts a milder ticket in the place of one's own, and tells those who watch the old one.
WITH was AS (
  SELECT queue, watches, strpos(queue, ' ' || :word || ' ') AS place FROM {lock} WHERE name = :name FOR NO KEY UPDATE
), now AS (
  UPDATE {lock} l SET queue = replace(was.queue, ' ' || :word || ' ', ' ' || :milder || ' '),
    watches = regexp_replace(was.watches, ' (' || :number || ':' || :generation || ':[0-9a-z]+ )+', ' ', 'g')
  FROM was WHERE l.name = :name AND was.place > 0
  RETURNING was.watches AS watches, split_part(substr(was.queue, was.place + length(:word) + 2), ':', 2) AS next
), told AS (
  SELECT pg_notify('{channel}' || concerned.session, 'd' || :ticket)
  FROM now, LATERAL (
    SELECT now.next WHERE now.next <> ''
    UNION
    SELECT unnest(regexp_matches(now.watches, ' ' || :number || ':' || :generation || ':([0-9a-z]+)(?= )', 'g'))
  ) AS concerned (session)
  WHERE NOT starts_with(concerned.session, 'p')
)
SELECT (SELECT count(*) FROM {session} WHERE id = :me AND expires > '-infinity'),
  (SELECT count(*) FROM now) + (SELECT count(*) FROM was WHERE strpos(queue, ' ' || :milder || ' ') > 0),
  (SELECT count(*) FROM told)
