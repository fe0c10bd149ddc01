CREATE TABLE IF NOT EXISTS {session} (
  id text COLLATE "C" PRIMARY KEY,
  client text NOT NULL,
  expires timestamptz NOT NULL
) WITH (fillfactor = 50);
-- One row for each name ever used; it is never deleted, so that the token never restarts.
CREATE TABLE IF NOT EXISTS {lock} (
  name text COLLATE "C" PRIMARY KEY,
  token bigint NOT NULL,
  notice text NOT NULL DEFAULT '',
  version bigint NOT NULL DEFAULT 0,
  post text NOT NULL DEFAULT ''
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS {ticket} (
  name text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  generation integer NOT NULL,
  session text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  mode smallint NOT NULL,
  permits integer NOT NULL,
  alone boolean NOT NULL DEFAULT false,
  metadata text NOT NULL,
  PRIMARY KEY (name, number),
  UNIQUE (session, request)
);
-- Whom to tell: of the departure of a ticket, or, with the number 0, of another notice.
CREATE TABLE IF NOT EXISTS {watch} (
  name text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  generation integer NOT NULL,
  session text COLLATE "C" NOT NULL,
  PRIMARY KEY (name, number, generation, session)
);
CREATE INDEX IF NOT EXISTS {watch_session} ON {watch} (session)
