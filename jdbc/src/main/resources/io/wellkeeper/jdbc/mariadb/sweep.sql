-- Writes the queue without the tickets of ended sessions, unless the row has changed since it was read; shows whether
-- it has done so. Fails at once if another transaction has the row. If an operator has deleted the row, only the rows
-- of those tickets are left to be deleted; a row of the lock that is made meanwhile stays as it is.
SET @same = NULL;
START TRANSACTION;
SELECT queue = :was AND watches = :watched AND alone = :lone INTO @same FROM {lock} WHERE name = :name FOR UPDATE NOWAIT;
UPDATE {lock} SET queue = IF(@same, :queue, queue), watches = IF(@same, :watches, watches), alone = IF(@same, :alone, alone)
WHERE name = :name;
DELETE FROM {ticket} WHERE name = :name AND number IN (:numbers) AND COALESCE(@same, TRUE);
SELECT CAST(COALESCE(@same, TRUE) AS SIGNED);
COMMIT
