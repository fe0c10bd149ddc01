-- One row for each name ever used; it is never deleted, so that the token never restarts. Times are UTC.
CREATE TABLE IF NOT EXISTS {table} (
  name varbinary(512) NOT NULL PRIMARY KEY,
  owner varbinary(255) NOT NULL,
  token bigint NOT NULL,
  expires datetime(6) NOT NULL,
  metadata text CHARACTER SET utf8mb4 NOT NULL
) ENGINE = InnoDB
