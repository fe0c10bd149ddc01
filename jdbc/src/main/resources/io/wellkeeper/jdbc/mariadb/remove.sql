-- Gives a ticket back, and shows what is left. Who expects somebody behind it has the next one told with it.
SET @before = '';
START TRANSACTION;
UPDATE {lock} SET queue = @queue := REPLACE(@before := queue, CONCAT(' ', :word, ' '), ' '), alone = {stripped}
WHERE name = :name;
DELETE FROM {ticket}
WHERE name = :name AND number = :number AND session = :owner AND LOCATE(CONCAT(' ', :word, ' '), @before) > 0;
{telling}SELECT {gone}, {told}, queue, watches FROM {lock} WHERE name = :name;
COMMIT{ringing}
