-- One row for each name ever used; it is never deleted, so that the token never restarts. Times are microseconds since 1970.
CREATE TABLE IF NOT EXISTS {table} (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  metadata TEXT NOT NULL
) WITHOUT ROWID
