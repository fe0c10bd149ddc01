-- Which tickets live, and the milliseconds left to their sessions. Each queue is read once, however many tickets it has.
WITH living AS (
  SELECT t.name, array_agg(t.number) AS numbers, array_agg(CASE WHEN s.expires > clock_timestamp()
    THEN 1 + CAST(extract(epoch FROM s.expires - clock_timestamp()) * 1000 AS bigint) ELSE 50 END) AS millis
  FROM unnest(:names, :numbers) AS asked (name, number)
    JOIN {ticket} t ON t.name = asked.name AND t.number = asked.number
    JOIN {session} s ON s.id = t.session AND s.expires > '-infinity'
  GROUP BY t.name
)
SELECT word AS queue, millis[array_position(numbers, CAST(split_part(word, ':', 1) AS bigint))], {soonest}
FROM living JOIN {lock} l ON l.name = living.name, string_to_table(btrim(l.queue), ' ') AS word
WHERE CAST(split_part(word, ':', 1) AS bigint) = ANY (numbers)
