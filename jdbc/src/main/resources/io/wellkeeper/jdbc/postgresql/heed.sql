-- Watches a notice; whoever has ended does so no longer.
INSERT INTO {lock} AS l (name, token, watches) VALUES (:name, 0, ' 0:0:' || :me || ' ')
ON CONFLICT (name) DO UPDATE SET watches = ' 0:0:' || :me || ' ' || coalesce((
  SELECT string_agg(word || ' ', '') FROM string_to_table(btrim(l.watches), ' ') AS word
  WHERE split_part(word, ':', 3) IN (SELECT id FROM {session} WHERE id <> :me OR split_part(word, ':', 1) <> '0')), '')
