-- Puts a milder ticket in the place of one's own, and shows what there is then.
UPDATE {lock} SET queue = REPLACE(queue, CONCAT(' ', :word, ' '), CONCAT(' ', :milder, ' ')) WHERE name = :name;
SELECT (SELECT COUNT(*) FROM {session} WHERE id = :me AND NOT ended), queue, watches FROM {lock} WHERE name = :name
