-- Watches a ticket; shows the milliseconds left to its session, or nothing if it is gone.
WITH armed AS (
  UPDATE {lock} SET watches = CASE WHEN strpos(watches, ' ' || :number || ':' || :generation || ':' || :me || ' ') > 0
    THEN watches ELSE watches || :number || ':' || :generation || ':' || :me || ' ' END
  WHERE name = :name AND strpos(queue, ' ' || :word || ' ') > 0
  RETURNING name
)
SELECT coalesce((SELECT CASE WHEN expires > clock_timestamp()
  THEN 1 + CAST(extract(epoch FROM expires - clock_timestamp()) * 1000 AS bigint) END FROM {session} WHERE id = :owner), 50)
FROM armed
