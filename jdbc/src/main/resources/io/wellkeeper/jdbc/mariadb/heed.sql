-- Watches a notice. The row is made, so that it can be locked.
START TRANSACTION;
INSERT INTO {lock} (name, token) VALUES (:name, 0) ON DUPLICATE KEY UPDATE token = token;
INSERT IGNORE INTO {watch} (name, number, generation, session)
SELECT :name, 0, 0, id FROM {session} WHERE id = :me;
COMMIT
