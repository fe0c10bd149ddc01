-- Takes the next number under the lock's row, and shows the queue. It keeps the session from being ended meanwhile. If the
-- session has ended, the name for the row is null, and so the statement fails.
START TRANSACTION;
INSERT INTO {lock} (name, token, queue) VALUES ({living},
  @number := {micros}, @queue := CONCAT(' ', CONCAT_WS(':', @number, :me, :request, 0, :mode, :permits), ' '))
ON DUPLICATE KEY UPDATE
  token = IF(@taken := LOCATE(CONCAT(':', :me, ':', :request, ':'), queue) > 0, token,
    @number := GREATEST(token + 1, {micros})),
  queue = @queue := IF(@taken, queue,
    CONCAT(queue, CONCAT_WS(':', @number, :me, :request, 0, :mode, :permits), ' '));
INSERT IGNORE INTO {ticket} (name, number, session, request, metadata) VALUES (:name, @number, :me, :request, :metadata);
SELECT @queue, alone, {left} FROM {lock} WHERE name = :name;
COMMIT
