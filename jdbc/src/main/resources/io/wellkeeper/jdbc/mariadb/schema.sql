-- A heartbeat changes a row, but nothing in the index called life; who ends a session does. So a transaction that has that
-- entry locked keeps the session from being ended while it is made to live longer.
CREATE TABLE IF NOT EXISTS {session} (
  id VARBINARY(13) NOT NULL PRIMARY KEY,
  client VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
  expires DATETIME(6) NOT NULL,
  UNIQUE KEY life (id)
) ENGINE=InnoDB;
-- One row for each name ever used; it is never deleted, so that the token never restarts. No ticket has a number below
-- base: who looks for tickets does not come past all those removed lately, which the server has yet to clear away.
CREATE TABLE IF NOT EXISTS {lock} (
  name VARBINARY(512) NOT NULL PRIMARY KEY,
  token BIGINT NOT NULL,
  base BIGINT NOT NULL DEFAULT 0,
  notice MEDIUMBLOB NULL,
  version BIGINT NOT NULL DEFAULT 0,
  post VARBINARY(36) NOT NULL DEFAULT ''
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS {ticket} (
  name VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  generation INT NOT NULL,
  session VARBINARY(13) NOT NULL,
  request VARBINARY(100) NOT NULL,
  mode SMALLINT NOT NULL,
  permits INT NOT NULL,
  alone BOOLEAN NOT NULL DEFAULT FALSE,
  gone BOOLEAN NOT NULL DEFAULT FALSE,
  metadata MEDIUMBLOB NOT NULL,
  PRIMARY KEY (name, number),
  UNIQUE KEY by_request (session, request)
) ENGINE=InnoDB;
-- Whom to tell: of the departure of a ticket, or, with the number 0, of another notice.
CREATE TABLE IF NOT EXISTS {watch} (
  name VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  generation INT NOT NULL,
  session VARBINARY(13) NOT NULL,
  PRIMARY KEY (name, number, generation, session),
  KEY by_session (session)
) ENGINE=InnoDB;
-- Messages to a session that it has not read.
CREATE TABLE IF NOT EXISTS {inbox} (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  session VARBINARY(13) NOT NULL,
  text MEDIUMBLOB NOT NULL,
  since DATETIME(6) NOT NULL,
  KEY by_session (session)
) ENGINE=InnoDB
