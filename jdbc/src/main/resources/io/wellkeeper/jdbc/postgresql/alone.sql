-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer.
WITH marked AS (
  UPDATE {lock} SET alone = CASE WHEN starts_with(alone, :me) THEN replace(alone, ' ' || :request || ';', '') ELSE :me END
    || ' ' || :request || ';'
  WHERE name = :name AND strpos(queue, ' ' || :word || ' ') > 0
    AND regexp_replace(substr(queue, strpos(queue, ' ' || :word || ' ') + length(:word) + 2), '[0-9]+:' || :me || ':[^ ]+ ', '', 'g') = ''
  RETURNING name
)
SELECT (SELECT count(*) FROM {session} WHERE id = :me AND expires > '-infinity'), (SELECT count(*) FROM marked)
