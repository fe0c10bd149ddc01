-- A session that has ended, and has left tickets that are not deleted yet, expires at -infinity. A session that does
-- not listen has an id that begins with p, and gets no messages. Two rows are no sessions: 'present' is there unless
-- the table was emptied, and sessions may have been forgotten; then no session begins while 'pause' lives.
CREATE TABLE IF NOT EXISTS {session} (
  id text COLLATE "C" PRIMARY KEY,
  client text NOT NULL,
  expires timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS {session_expires} ON {session} (expires);
-- One row for each name ever used; it is never deleted, so that the token never restarts. The row has the whole queue,
-- which is ' ' and then every ticket, as number:session:request:generation:mode:permits, and a ' '. It has the watches,
-- other than of the next in the queue, in the same way, as number:generation:session with the number 0 for the notice.
-- And it has the session that is alone in the queue, with the requests of its tickets that want to be told of a
-- newcomer.
CREATE TABLE IF NOT EXISTS {lock} (
  name text COLLATE "C" PRIMARY KEY,
  token bigint NOT NULL,
  queue text COLLATE "C" NOT NULL DEFAULT ' ',
  watches text COLLATE "C" NOT NULL DEFAULT ' ',
  alone text COLLATE "C" NOT NULL DEFAULT '',
  notice text NOT NULL DEFAULT '',
  version bigint NOT NULL DEFAULT 0,
  post text NOT NULL DEFAULT ''
) WITH (fillfactor = 50);
INSERT INTO {session} (id, client, expires)
SELECT 'present', '', '9000-01-01' WHERE to_regclass('{ticket}') IS NULL ON CONFLICT DO NOTHING;
-- One row for each ticket in a queue; nobody looks here to get a lock.
CREATE TABLE IF NOT EXISTS {ticket} (
  name text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  session text COLLATE "C" NOT NULL,
  metadata text NOT NULL,
  PRIMARY KEY (name, number)
)
