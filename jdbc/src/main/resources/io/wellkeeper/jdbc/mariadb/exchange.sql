-- Gives a ticket back and takes another one of the same lock, as the two do by themselves.
START TRANSACTION;
INSERT INTO {lock} (name, token, queue) VALUES ({living}, @number := {micros},
  @queue := CONCAT(@before := ' ', CONCAT_WS(':', @number, :me, :request, 0, :mode, :permits), ' '))
ON DUPLICATE KEY UPDATE
  token = IF(@taken := LOCATE(CONCAT(':', :me, ':', :request, ':'), queue) > 0, token,
    @number := GREATEST(token + 1, {micros})),
  queue = @queue := CONCAT(REPLACE(@before := queue, CONCAT(' ', :word, ' '), ' '),
    IF(@taken, '', CONCAT(CONCAT_WS(':', @number, :me, :request, 0, :mode, :permits), ' '))),
  alone = {stripped};
DELETE FROM {ticket}
WHERE name = :name AND number = :number AND session = :owner AND LOCATE(CONCAT(' ', :word, ' '), @before) > 0;
{telling}INSERT IGNORE INTO {ticket} (name, number, session, request, metadata) VALUES (:name, @number, :me, :request, :metadata);
SELECT {gone}, {told}, @queue, watches, alone, {left} FROM {lock} WHERE name = :name;
COMMIT
