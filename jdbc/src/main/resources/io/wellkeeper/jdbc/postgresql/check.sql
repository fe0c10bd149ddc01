-- Which tickets live, and the milliseconds left to their sessions.
SELECT substring(l.queue FROM ' (' || t.number || ':[^ ]+) ') AS queue,
  CASE WHEN s.expires > clock_timestamp()
    THEN 1 + CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint) ELSE 50 END, {soonest}
FROM unnest(:names, :numbers) AS asked (name, number)
  JOIN {ticket} t ON t.name = asked.name AND t.number = asked.number JOIN {lock} l ON l.name = t.name JOIN {session} s ON s.id = t.session
