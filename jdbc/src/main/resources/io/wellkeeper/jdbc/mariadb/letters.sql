-- Waits until there are messages to a session that were not read, and reads them. The wait ends when somebody rings, when
-- the session's other connection is gone, or after a while. It begins without a snapshot, which would keep the server
-- from clearing away what is deleted meanwhile, and without a lock, which would keep others from deleting it; so the
-- connection reads what is not committed yet. Messages are true by then: a ticket is given back for good, and is so again if
-- the transaction comes to nothing; and the time of a session is up. Where that is not so, the text begins with a question
-- mark, and is good for nothing before settled.sql has shown it. The anchor is let go in the same breath: a listener whose network has
-- gone would keep it from the next connection for requests.
SELECT IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND NOT FIND_IN_SET(id, :read)),
  NULL, IF(GET_LOCK(:anchor, :seconds) = 1, IF(RELEASE_LOCK(:anchor) = 1, 'had', 'had'), NULL)) AS anchor;
SELECT id, text FROM {inbox} WHERE session = :me AND NOT FIND_IN_SET(id, :read) ORDER BY id
