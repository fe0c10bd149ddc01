-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer.
UPDATE {ticket} SET alone = 1
WHERE name = :name AND number = :number AND generation = :generation AND session = :me
  AND NOT EXISTS (SELECT 1 FROM {ticket} t JOIN {session} s ON s.id = t.session
    WHERE t.name = :name AND t.number > :number AND t.session <> :me);
SELECT (SELECT count(*) FROM {session} WHERE id = :me), changes()
