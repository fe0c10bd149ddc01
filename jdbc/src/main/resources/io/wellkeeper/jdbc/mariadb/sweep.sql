-- Writes down what is left of a queue without the tickets of ended sessions, unless it has changed since it was read: shows
-- that. Fails at once if somebody else has the row. If an operator has deleted that, only those tickets are left to be deleted; a row
-- that is made meanwhile stays as it is.
SET @same = NULL;
START TRANSACTION;
SELECT queue = :was AND watches = :watched AND alone = :lone INTO @same FROM {lock} WHERE name = :name FOR UPDATE NOWAIT;
UPDATE {lock} SET queue = IF(@same, :queue, queue), watches = IF(@same, :watches, watches), alone = IF(@same, :alone, alone)
WHERE name = :name;
DELETE FROM {ticket} WHERE name = :name AND number IN (:numbers) AND COALESCE(@same, TRUE);
SELECT CAST(COALESCE(@same, TRUE) AS SIGNED);
COMMIT
