-- Deletes messages that were received.
DELETE FROM {inbox} WHERE id IN (:ids)
