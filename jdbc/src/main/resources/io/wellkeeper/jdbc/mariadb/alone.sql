-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer. All words behind the
-- ticket are this session's if there are as many words as places where the session is named.
SET @alone = FALSE;
START TRANSACTION;
UPDATE {lock} SET alone = IF(@alone := LOCATE(CONCAT(' ', :word, ' '), queue) > 0 AND
    LENGTH(@behind := SUBSTRING(queue, LOCATE(CONCAT(' ', :word, ' '), queue) + LENGTH(:word) + 2))
      - LENGTH(REPLACE(@behind, ' ', ''))
    = (LENGTH(@behind) - LENGTH(REPLACE(@behind, CONCAT(':', :me, ':'), ''))) DIV (LENGTH(:me) + 2),
  CONCAT(IF(LEFT(alone, 13) = :me, REPLACE(alone, CONCAT(' ', {request}, ';'), ''), :me), ' ', {request}, ';'), alone)
WHERE name = :name;
SELECT (SELECT COUNT(*) FROM {session} WHERE id = :me AND NOT ended), CAST(@alone AS SIGNED);
COMMIT
