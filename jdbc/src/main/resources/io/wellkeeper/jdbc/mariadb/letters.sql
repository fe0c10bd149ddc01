-- Waits until there are messages to a session that were not read, and reads them. The wait ends when another client
-- rings, when the session's other connection is gone, or after a while. The connection reads what is not committed yet,
-- so that it waits without a snapshot, which would keep the server from purging rows that are deleted meanwhile, and
-- without a lock, which would keep others from deleting rows. A message is true before it is committed: a ticket is
-- given back for good, and is given back again if the transaction comes to nothing; or the time of a session is up.
-- Where this does not hold, the text begins with a question mark, and the message counts only when settled.sql has
-- shown it. The anchor is released in the same statement: a listener whose network is gone would otherwise keep it from
-- the next connection for requests.
SELECT IF(EXISTS (SELECT 1 FROM {inbox} WHERE session = :me AND NOT FIND_IN_SET(id, :read)),
  NULL, IF(GET_LOCK(:anchor, :seconds) = 1, IF(RELEASE_LOCK(:anchor) = 1, 'had', 'had'), NULL)) AS anchor;
SELECT id, text FROM {inbox} WHERE session = :me AND NOT FIND_IN_SET(id, :read) ORDER BY id
