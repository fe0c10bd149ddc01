-- Watches a ticket; shows the milliseconds left to its session, or nothing if it is gone.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT IGNORE INTO {watch} (name, number, generation, session)
SELECT t.name, t.number, t.generation, m.id
FROM {ticket} t JOIN {session} s ON s.id = t.session JOIN {session} m ON m.id = :me
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner;
SELECT IF(s.expires > UTC_TIMESTAMP(6), TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), s.expires) DIV 1000 + 1, 50),
  IF(s.expires <= UTC_TIMESTAMP(6), s.id, NULL) AS dead
FROM {ticket} t JOIN {session} s ON s.id = t.session
WHERE t.name = :name AND t.number = :number AND t.generation = :generation AND t.session = :owner;
COMMIT
