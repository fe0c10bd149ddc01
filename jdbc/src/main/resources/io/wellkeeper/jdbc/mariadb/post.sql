-- Puts up another notice, unless there has been another since; sends it to the others who watch it.
START TRANSACTION;
INSERT INTO {lock} (name, token, notice, version, post)
VALUES (:name, 0, :text, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), :post)
ON DUPLICATE KEY UPDATE notice = IF(version = :seen, :text, notice), post = IF(version = :seen, :post, post),
  version = IF(version = :seen,
    GREATEST(version + 1, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))), version);
INSERT INTO {inbox} (session, text, since)
SELECT w.session, CONCAT('n', l.version, ':', CHAR_LENGTH(:text), ':', :text, :name), UTC_TIMESTAMP(6)
FROM {lock} l JOIN {watch} w ON w.name = l.name AND w.number = 0 AND w.session <> :me
WHERE l.name = :name AND l.post = :post;
SELECT w.session AS ring FROM {lock} l JOIN {watch} w ON w.name = l.name AND w.number = 0 AND w.session <> :me
WHERE l.name = :name AND l.post = :post;
SELECT COUNT(*), COALESCE(MAX(version), 0) FROM {lock} WHERE name = :name AND post = :post;
COMMIT
