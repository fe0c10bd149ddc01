-- Gives a ticket back, and shows what is left. Who expects somebody behind it has the next one told with it, and woken before
-- the commit: he reads what he is told once it is committed, and need not wait until that is on the disk. Only what a
-- transaction guards is waited for first.
SET @before = '';
START TRANSACTION;
UPDATE {lock} SET queue = @queue := REPLACE(@before := queue, CONCAT(' ', :word, ' '), ' '), alone = {stripped}
WHERE name = :name;
DELETE FROM {ticket}
WHERE name = :name AND number = :number AND session = :owner AND LOCATE(CONCAT(' ', :word, ' '), @before) > 0;
{telling}SELECT {gone}, {told}, queue, watches FROM {lock} WHERE name = :name;
COMMIT
