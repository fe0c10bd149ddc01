-- Gives a ticket back and takes the next number, as remove.sql and take.sql do by themselves; in one transaction, which
-- may be forced to the disk afterwards.
WITH was AS (
  SELECT queue, watches, alone, strpos(queue, ' ' || :word || ' ') AS place,
    greatest(token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)) AS fresh,
    strpos(queue, ':' || :fresh) = 0
      AND EXISTS (SELECT FROM {session} WHERE id = :me AND expires > clock_timestamp()) AS draws
  FROM {lock} WHERE name = :name FOR NO KEY UPDATE
), gone AS (
  DELETE FROM {ticket} WHERE name = :name AND number = :number AND EXISTS (SELECT FROM was WHERE place > 0)
), kept AS (
  INSERT INTO {ticket} (name, number, session, metadata) SELECT :name, fresh, :me, :metadata FROM was WHERE draws
), now AS (
  UPDATE {lock} l SET token = CASE WHEN draws THEN fresh ELSE token END,
    queue = replace(was.queue, ' ' || :word || ' ', ' ') || CASE WHEN draws THEN fresh || ':' || :fresh || ' ' ELSE '' END,
    watches = CASE WHEN was.watches = ' ' THEN ' '
      ELSE regexp_replace(was.watches, ' (' || :number || ':' || :generation || ':[0-9a-z]+ )+', ' ', 'g') END,
    alone = CASE replace(was.alone, ' ' || split_part(:word, ':', 3) || ';', '') WHEN '' THEN '' WHEN :me THEN ''
      ELSE replace(was.alone, ' ' || split_part(:word, ':', 3) || ';', '') END
  FROM was WHERE l.name = :name
  RETURNING was.place, was.watches AS watches, was.alone AS lone, l.queue,
    split_part(substr(was.queue, was.place + length(:word) + 2), ':', 2) AS next
), told AS (
  SELECT pg_notify('{channel}' || concerned.session,
    'd' || :ticket || CASE WHEN octet_length(now.queue) < 7000 THEN rtrim(now.queue) ELSE '' END)
  FROM now, LATERAL (
    SELECT now.next WHERE now.next NOT IN ('', :me)
    UNION
    SELECT unnest(regexp_matches(now.watches, ' ' || :number || ':' || :generation || ':([0-9a-z]+)(?= )', 'g'))
    WHERE now.watches <> ' '
  ) AS concerned (session)
  WHERE now.place > 0 AND NOT starts_with(concerned.session, 'p')
), met AS (
  SELECT pg_notify('{channel}' || left(lone, length(:me)),
    'a' || CASE WHEN octet_length(lone) < 7000 THEN substr(lone, length(:me) + 2) ELSE '' END) FROM now
  WHERE lone <> '' AND NOT starts_with(lone, :me)
)
SELECT queue, {soonest}, (SELECT count(*) FROM told) + (SELECT count(*) FROM met), CAST(CAST(place > 0 AS integer) AS bigint), {unforced} FROM now
