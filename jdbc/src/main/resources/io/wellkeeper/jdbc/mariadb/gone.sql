-- Which ended sessions have no tickets any more.
SELECT s.id AS gone FROM {session} s LEFT JOIN {ticket} t ON t.session = s.id WHERE s.ended AND t.session IS NULL
