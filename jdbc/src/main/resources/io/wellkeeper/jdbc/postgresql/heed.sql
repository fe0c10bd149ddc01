-- Watches a notice, and clears away the watches of sessions that have ended. The row is locked before the sessions are read:
-- otherwise a session that began to watch while this waited for the row would not be seen, and be taken for an ended one.
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
