-- Which tickets live, and the milliseconds left to their sessions.
SELECT {word} AS queue,
  CASE WHEN s.expires > clock_timestamp()
    THEN 1 + CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint) ELSE 50 END, {soonest}
FROM {ticket} t JOIN {lock} l ON l.name = t.name JOIN {session} s ON s.id = t.session AND s.expires > '-infinity'
WHERE t.name = ANY (:names) AND t.number = ANY (:numbers)
