-- Waits until there are messages to a session that were not read, and reads them. The wait ends when somebody rings, when
-- the session's other connection is gone, or after a while. It begins without a snapshot, which would keep the server
-- from clearing away what is deleted meanwhile.
SELECT IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND id NOT IN (:read) LOCK IN SHARE MODE),
  NULL, IF(GET_LOCK(:anchor, :seconds) = 1, 'had', NULL)) AS anchor;
SELECT id, text FROM {inbox} WHERE session = :me AND id NOT IN (:read) ORDER BY id
