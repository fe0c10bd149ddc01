-- Waits until there are messages to a session that were not read, and reads them. The wait ends when somebody rings, when
-- the session's other connection is gone, or after a while. Looks without a snapshot, which would keep
-- the server from clearing away what is deleted meanwhile.
(SELECT id, text, NULL FROM {inbox} WHERE session = :me AND id NOT IN (:read) LOCK IN SHARE MODE)
UNION ALL
(SELECT 0, NULL,
  IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND id NOT IN (:read) LOCK IN SHARE MODE),
    NULL, GET_LOCK(:anchor, :seconds)))
ORDER BY 1
