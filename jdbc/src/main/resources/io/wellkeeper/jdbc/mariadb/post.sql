-- Puts up another notice, unless there has been another since; sends it to the others who watch it.
START TRANSACTION;
INSERT INTO {lock} (name, token, notice, version, post)
VALUES (:name, 0, :text, {micros}, :post)
ON DUPLICATE KEY UPDATE notice = IF(version = :seen, :text, notice), post = IF(version = :seen, :post, post),
  version = IF(version = :seen, GREATEST(version + 1, {micros}), version);
INSERT INTO {inbox} (session, text, since)
SELECT s.id, CONCAT('?n', l.version, ':', :length, ':', :text, :name), UTC_TIMESTAMP(6)
FROM {lock} l JOIN {session} s ON LOCATE(CONCAT(' 0:0:', s.id, ' '), l.watches) > 0 AND s.id <> :me
WHERE l.name = :name AND l.post = :post;
SELECT s.id AS ring
FROM {lock} l JOIN {session} s ON LOCATE(CONCAT(' 0:0:', s.id, ' '), l.watches) > 0 AND s.id <> :me
WHERE l.name = :name AND l.post = :post;
SELECT COUNT(*), COALESCE(MAX(version), 0) FROM {lock} WHERE name = :name AND post = :post;
COMMIT
