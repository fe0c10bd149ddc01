-- Watches a notice; whoever has ended does so no longer. The row is had before it is looked up who that is: else a session
-- that has begun to watch while this waited for the row would not be seen, and be taken for one that has ended.
BEGIN;
INSERT INTO {lock} AS l (name, token, watches) VALUES (:name, 0, ' 0:0:' || :me || ' ')
ON CONFLICT (name) DO UPDATE SET watches = CASE WHEN strpos(l.watches, ' 0:0:' || :me || ' ') > 0
  THEN l.watches ELSE l.watches || '0:0:' || :me || ' ' END;
UPDATE {lock} SET watches = ' ' || coalesce((
  SELECT string_agg(word || ' ', '') FROM string_to_table(btrim(watches), ' ') AS word
  WHERE split_part(word, ':', 3) IN (SELECT id FROM {session})), '')
WHERE name = :name AND EXISTS (
  SELECT FROM string_to_table(btrim(watches), ' ') AS word WHERE split_part(word, ':', 3) NOT IN (SELECT id FROM {session}));
COMMIT
