-- Waits until there are messages to a session that were not read, and reads them. The wait ends when somebody rings, when
-- the session's other connection is gone, or after a while. It begins without a snapshot, which would keep the server
-- from clearing away what is deleted meanwhile, and without a lock, which would keep others from deleting it: so it sees
-- messages that are not committed yet, for which the reading then waits.
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
SELECT IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND id NOT IN (:read)),
  NULL, IF(GET_LOCK(:anchor, :seconds) = 1, 'had', NULL)) AS anchor;
SELECT id, text FROM {inbox} WHERE session = :me AND id NOT IN (:read) ORDER BY id LOCK IN SHARE MODE
