-- Takes the next number under the lock's row, then, with a new snapshot, shows everything ahead of it: whoever had the
-- row before has committed. Watches nothing: INSERT .. SELECT would have MariaDB force its log to the disk once more. The
-- ticket of a session that has ended is none, and is swept away.
START TRANSACTION;
INSERT INTO {lock} (name, token) VALUES (:name, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)))
ON DUPLICATE KEY UPDATE token = GREATEST(token + 1, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)));
INSERT IGNORE INTO {ticket} (name, number, generation, session, request, mode, permits, metadata)
VALUES (:name, (SELECT token FROM {lock} WHERE name = :name), 0, :me, :request, :mode, :permits, :metadata);
SELECT t.number, t.generation, t.session, t.request, t.mode, t.permits,
  NULL, IF(s.expires <= UTC_TIMESTAMP(6), s.id, NULL) AS dead,
  IF(t.alone AND t.session <> :me, t.session, NULL) AS met
FROM {lock} l JOIN {ticket} mine JOIN {session} m ON m.id = mine.session
  JOIN {ticket} t ON t.name = mine.name AND t.number BETWEEN l.base AND mine.number JOIN {session} s ON s.id = t.session
WHERE l.name = :name AND mine.session = :me AND mine.request = :request AND mine.name = :name ORDER BY t.number;
COMMIT
