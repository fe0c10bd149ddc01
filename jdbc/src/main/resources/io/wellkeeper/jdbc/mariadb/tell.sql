-- Tells a session of the departure of a ticket that it has watched, with the queue that is left.
START TRANSACTION;
INSERT INTO {inbox} (session, text, since) VALUES (:watcher, CONCAT('d', :ticket, COALESCE((
  SELECT GROUP_CONCAT(' ', CONCAT_WS(':', t.number, t.session, t.request, t.generation, t.mode, t.permits)
    ORDER BY t.number SEPARATOR '')
  FROM {lock} l JOIN {ticket} t ON t.name = l.name AND t.number >= l.base WHERE l.name = :name), '')), UTC_TIMESTAMP(6));
DELETE FROM {watch}
WHERE name = :name AND number = :number AND generation = :generation AND session = :watcher;
COMMIT
