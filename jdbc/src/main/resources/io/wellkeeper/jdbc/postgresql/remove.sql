-- Gives a ticket back, and sends a message to the sessions that watch it and to its owner, with the queue that is left,
-- if that is short enough. When the owner gives the ticket back, this does not wait for the disk: if the ticket is back
-- after a crash of the server, its owner gives it back once more.
WITH was AS (
  SELECT queue, watches, strpos(queue, ' ' || :word || ' ') AS place FROM {lock} WHERE name = :name FOR NO KEY UPDATE
), gone AS (
  DELETE FROM {ticket} WHERE name = :name AND number = :number AND EXISTS (SELECT FROM was WHERE place > 0)
), now AS (
  UPDATE {lock} l SET queue = replace(was.queue, ' ' || :word || ' ', ' '),
    watches = CASE WHEN was.watches = ' ' THEN ' '
      ELSE regexp_replace(was.watches, ' (' || :number || ':' || :generation || ':[0-9a-z]+ )+', ' ', 'g') END,
    alone = CASE replace(l.alone, ' ' || :request || ';', '') WHEN '' THEN '' WHEN :owner THEN ''
      ELSE replace(l.alone, ' ' || :request || ';', '') END
  FROM was WHERE l.name = :name AND was.place > 0
  RETURNING was.watches AS watches, l.queue, split_part(substr(was.queue, was.place + length(:word) + 2), ':', 2) AS next
), told AS (
  SELECT pg_notify('{channel}' || concerned.session,
    'd' || :ticket || CASE WHEN octet_length(now.queue) < 7000 THEN rtrim(now.queue) ELSE '' END)
  FROM now, LATERAL (
    SELECT now.next WHERE now.next NOT IN ('', :owner)
    UNION
    SELECT :owner WHERE :owner <> :me
    UNION
    SELECT unnest(regexp_matches(now.watches, ' ' || :number || ':' || :generation || ':([0-9a-z]+)(?= )', 'g'))
    WHERE now.watches <> ' '
  ) AS concerned (session)
  WHERE NOT starts_with(concerned.session, 'p')
)
SELECT (SELECT count(*) FROM now), (SELECT count(*) FROM told), {unforced}
