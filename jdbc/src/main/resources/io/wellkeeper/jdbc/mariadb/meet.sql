-- Tells those who have been alone with their tickets of a name that somebody has come.
START TRANSACTION;
SELECT 1 FROM {lock} WHERE name = :name FOR UPDATE;
INSERT INTO {inbox} (session, text, since)
SELECT session, CONCAT('a', request), UTC_TIMESTAMP(6) FROM {ticket}
WHERE name = :name AND number >= (SELECT base FROM {lock} WHERE name = :name) AND alone AND session <> :me ORDER BY number;
SELECT session AS ring FROM {ticket}
WHERE name = :name AND number >= (SELECT base FROM {lock} WHERE name = :name) AND alone AND session <> :me;
UPDATE {ticket} SET alone = FALSE
WHERE name = :name AND number >= (SELECT base FROM {lock} WHERE name = :name) AND alone AND session <> :me;
COMMIT
