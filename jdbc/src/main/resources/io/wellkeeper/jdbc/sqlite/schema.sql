-- Two rows are no sessions: 'present' is there unless the table was emptied, and sessions may have been forgotten; then
-- no session begins while 'pause' lives.
CREATE TABLE IF NOT EXISTS {session} (
  id TEXT NOT NULL PRIMARY KEY,
  client TEXT NOT NULL,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
-- One row for each name ever used; it is never deleted, so that the token never restarts.
CREATE TABLE IF NOT EXISTS {lock} (
  name TEXT NOT NULL PRIMARY KEY,
  token INTEGER NOT NULL,
  notice TEXT NOT NULL DEFAULT '',
  version INTEGER NOT NULL DEFAULT 0,
  post TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS {ticket} (
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  session TEXT NOT NULL,
  request TEXT NOT NULL,
  mode INTEGER NOT NULL,
  permits INTEGER NOT NULL,
  alone INTEGER NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL,
  PRIMARY KEY (name, number),
  UNIQUE (session, request)
) WITHOUT ROWID;
-- The watches: sessions to be told of the departure of a ticket or, with the number 0, of another notice.
CREATE TABLE IF NOT EXISTS {watch} (
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY (name, number, generation, session)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS {watch_session} ON {watch} (session);
INSERT OR IGNORE INTO {session} (id, client, expires) SELECT 'present', '', 221845392000000
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '{inbox}');
-- Messages to a session that it has not read; no id is used twice.
CREATE TABLE IF NOT EXISTS {inbox} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  text TEXT NOT NULL
)
