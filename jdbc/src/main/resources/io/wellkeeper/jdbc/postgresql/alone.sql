-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer.
SELECT FROM {lock} WHERE name = :name FOR NO KEY UPDATE;
WITH marked AS (
  UPDATE {ticket} SET alone = true
  WHERE name = :name AND number = :number AND generation = :generation AND session = :me
    AND NOT EXISTS (SELECT FROM {ticket} t JOIN {session} s ON s.id = t.session
      WHERE t.name = :name AND t.number > :number AND t.session <> :me)
  RETURNING number
)
SELECT (SELECT count(*) FROM {session} WHERE id = :me), (SELECT count(*) FROM marked)
