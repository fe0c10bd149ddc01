-- Waits until there are messages to a session that were not read, and reads them. The wait ends when somebody rings, when
-- the session's other connection is gone, or after a while.
SELECT id, text, NULL FROM {inbox} WHERE session = :me AND id NOT IN (:read)
UNION ALL
SELECT 0, NULL,
  IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND id NOT IN (:read)), NULL, GET_LOCK(:anchor, :seconds))
ORDER BY 1
