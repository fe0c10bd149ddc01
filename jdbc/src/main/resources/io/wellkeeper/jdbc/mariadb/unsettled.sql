-- Waits for the transactions that send messages.
SELECT id FROM {inbox} WHERE id IN (:ids) LOCK IN SHARE MODE
