-- Which messages have come to stay. It waits for the transactions that send them, and finds nothing of those that came to
-- nothing.
SELECT id FROM {inbox} WHERE id IN (:ids) LOCK IN SHARE MODE
