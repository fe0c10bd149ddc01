-- One row for each name ever used; it is never deleted, so that the token never restarts.
CREATE TABLE IF NOT EXISTS {table} (
  name text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  token bigint NOT NULL,
  expires timestamptz NOT NULL,
  metadata text NOT NULL
) WITH (fillfactor = 50)
