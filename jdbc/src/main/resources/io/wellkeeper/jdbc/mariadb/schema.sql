-- A heartbeat changes the row of a session, but not its entry in the index called life; ending a session changes the
-- entry. So a transaction that has the entry locked keeps the session from being ended, while heartbeats still make it
-- live longer. A session that has ended expires at the beginning of time; its row is deleted when its tickets are gone.
-- Two rows are no sessions: 'present' is there unless the table was emptied, and sessions may have been forgotten; then
-- no session begins while 'pause' lives.
CREATE TABLE IF NOT EXISTS {session} (
  id VARBINARY(13) NOT NULL PRIMARY KEY,
  client VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
  expires DATETIME(6) NOT NULL,
  ended BOOLEAN NOT NULL DEFAULT FALSE,
  UNIQUE KEY life (id, ended)
) ENGINE=InnoDB;
-- One row for each name ever used; it is never deleted, so that the token never restarts. The queue has a blank, and
-- then for each living ticket, in order, number:session:request:generation:mode:permits and a blank; watches has
-- number:generation:session in the same way, with the number 0 for a watch on the notice; alone is empty, or a session
-- and then a blank, a request and a semicolon for each of its tickets that wants to be told of a newcomer.
CREATE TABLE IF NOT EXISTS {lock} (
  name VARBINARY(512) NOT NULL PRIMARY KEY,
  token BIGINT NOT NULL,
  queue MEDIUMBLOB NOT NULL DEFAULT (' '),
  watches MEDIUMBLOB NOT NULL DEFAULT (' '),
  alone MEDIUMBLOB NOT NULL DEFAULT (''),
  notice MEDIUMBLOB NULL,
  version BIGINT NOT NULL DEFAULT 0,
  post VARBINARY(36) NOT NULL DEFAULT ''
) ENGINE=InnoDB;
-- What else belongs to a ticket. The row is there as long as the ticket is in the queue.
CREATE TABLE IF NOT EXISTS {ticket} (
  name VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  session VARBINARY(13) NOT NULL,
  request VARBINARY(100) NOT NULL,
  metadata MEDIUMBLOB NOT NULL,
  PRIMARY KEY (name, number),
  UNIQUE KEY by_request (session, request)
) ENGINE=InnoDB;
INSERT IGNORE INTO {session} (id, client, expires) SELECT 'present', '', '9000-01-01' FROM DUAL WHERE NOT EXISTS (
  SELECT 1 FROM information_schema.tables WHERE '{inbox}' IN (
    CONCAT(table_schema, '.', table_name), IF(table_schema = DATABASE(), table_name, '')));
-- Messages to a session that it has not read.
CREATE TABLE IF NOT EXISTS {inbox} (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  session VARBINARY(13) NOT NULL,
  text MEDIUMBLOB NOT NULL,
  since DATETIME(6) NOT NULL,
  KEY by_session (session)
) ENGINE=InnoDB
