-- Gives a ticket back, and shows the queue that is left. If the client expects another session behind the ticket, this
-- also sends a message to the next session and wakes it before the commit: that session reads the message before it is
-- on the disk. If a transaction guards the ticket, this waits for that transaction first.
SET @before = '';
START TRANSACTION;
UPDATE {lock} SET queue = @queue := REPLACE(@before := queue, CONCAT(' ', :word, ' '), ' '), alone = {stripped}
WHERE name = :name;
DELETE FROM {ticket}
WHERE name = :name AND number = :number AND session = :owner AND LOCATE(CONCAT(' ', :word, ' '), @before) > 0;
{telling}SELECT {gone}, {told}, queue, watches FROM {lock} WHERE name = :name;
COMMIT
