-- Gives a ticket back and takes another one of the same lock, as remove.sql and take.sql do by themselves. While the
-- old ticket is there, the lock's row is there. If the row or the session is gone, the name for the new ticket is null.
-- If the new ticket was taken before and the answer was lost, its number may be null. In both cases nothing is done.
SET @queue = NULL;
START TRANSACTION;
UPDATE {lock} SET
  token = IF(@taken := LOCATE(CONCAT(':', :me, ':', :request, ':'), queue) > 0, token,
    @number := GREATEST(token + 1, {micros})),
  queue = @queue := CONCAT(REPLACE(@before := queue, CONCAT(' ', :word, ' '), ' '),
    IF(@taken, '', CONCAT(CONCAT_WS(':', @number, :me, :request, 0, :mode, :permits), ' '))),
  alone = @apart := {stripped},
  watches = @watches := watches
WHERE name = :name;
DELETE FROM {ticket}
WHERE name = :name AND number = :number AND session = :owner AND LOCATE(CONCAT(' ', :word, ' '), @before) > 0;
{telling}INSERT INTO {ticket} (name, number, session, request, metadata)
VALUES (IF(@queue IS NULL, NULL, {living}), @number, :me, :request, :metadata)
ON DUPLICATE KEY UPDATE session = session;
SELECT {gone}, {told}, @queue, @watches, @apart, {left};
COMMIT
