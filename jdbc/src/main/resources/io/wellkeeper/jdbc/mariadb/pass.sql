-- Gives a ticket back with the user's transaction, and sends messages to the next session in the queue and to the
-- others that watch the ticket. A session that looks at the queue before the end of the transaction waits for that end.
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT INTO {inbox} (session, text, since)
SELECT s.id, CONCAT('?d', :ticket), UTC_TIMESTAMP(6) FROM {session} s JOIN {lock} l ON l.name = :name
WHERE s.id <> :owner AND (s.id = {next of l.queue}
  OR LOCATE(CONCAT(' ', :number, ':', :generation, ':', s.id, ' '), l.watches) > 0);
SELECT s.id AS ring FROM {session} s JOIN {lock} l ON l.name = :name
WHERE s.id <> :owner AND (s.id = {next of l.queue}
  OR LOCATE(CONCAT(' ', :number, ':', :generation, ':', s.id, ' '), l.watches) > 0);
UPDATE {lock} SET queue = REPLACE(queue, CONCAT(' ', :word, ' '), ' ') WHERE name = :name;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND session = :owner
