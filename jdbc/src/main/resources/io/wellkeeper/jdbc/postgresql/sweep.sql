-- Removes the tickets of ended sessions. Of each it tells the session next behind it and the sessions that watch it.
-- The watches of the ended sessions are deleted. Does nothing if another transaction has the row of the lock, and shows
-- whether it has done so. The row is locked before the other statements look at anything. If an operator has deleted
-- the row, only the tickets are left to be deleted; a row that is made meanwhile stays as it is.
BEGIN;
SELECT set_config('wellkeeper.sweeps', CASE WHEN EXISTS (SELECT FROM {lock} WHERE name = :name)
  THEN coalesce((SELECT 'yes' FROM {lock} WHERE name = :name FOR NO KEY UPDATE SKIP LOCKED), 'no') ELSE 'none' END, true);
WITH may AS (
  SELECT current_setting('wellkeeper.sweeps') = 'yes' OR NOT EXISTS (SELECT FROM {lock} WHERE name = :name) AS sweeps
), gone AS (
  DELETE FROM {ticket} t WHERE t.name = :name AND (SELECT sweeps FROM may)
    AND NOT EXISTS (SELECT FROM {session} s WHERE s.id = t.session AND s.expires > '-infinity')
  RETURNING number, t.session
), words AS (
  SELECT word, place, split_part(word, ':', 2) AS session,
    CAST(split_part(word, ':', 1) AS bigint) IN (SELECT number FROM gone) AS goes
  FROM {lock}, string_to_table(btrim(queue), ' ') WITH ORDINALITY AS queued (word, place)
  WHERE name = :name AND word <> ''
), now AS (
  UPDATE {lock} SET queue = ' ' || coalesce((SELECT string_agg(word || ' ', '' ORDER BY place) FROM words WHERE NOT goes), ''),
    watches = ' ' || coalesce((SELECT string_agg(word || ' ', '') FROM string_to_table(btrim(watches), ' ') AS word
      WHERE split_part(word, ':', 3) IN (SELECT id FROM {session} WHERE expires > '-infinity')
        AND CAST(split_part(word, ':', 1) AS bigint) NOT IN (SELECT number FROM gone)), ''),
    alone = CASE WHEN split_part(alone, ' ', 1) IN (SELECT session FROM gone) THEN '' ELSE alone END
  WHERE name = :name AND current_setting('wellkeeper.sweeps') = 'yes' AND (watches <> ' ' OR EXISTS (SELECT FROM gone))
), behind AS (
  SELECT word, goes, min(place) FILTER (WHERE NOT goes) OVER (ORDER BY place DESC) AS next FROM words
), told AS (
  SELECT pg_notify('{channel}' || concerned, 'd' || array_to_string((string_to_array(word, ':'))[1:4], ':'))
  FROM (
    SELECT behind.word, words.session FROM behind JOIN words ON words.place = behind.next WHERE behind.goes
    UNION
    SELECT word, split_part(watch, ':', 3) FROM {lock}, string_to_table(btrim(watches), ' ') AS watch, words
    WHERE name = :name AND goes
      AND split_part(watch, ':', 1) = split_part(word, ':', 1) AND split_part(watch, ':', 2) = split_part(word, ':', 4)
  ) AS concerned (word, concerned)
  WHERE NOT starts_with(concerned, 'p')
)
SELECT (SELECT CAST(CAST(sweeps AS integer) AS bigint) FROM may),
  (SELECT count(*) FROM gone), (SELECT count(*) FROM told);
COMMIT
