-- Gives a ticket back, and sends a message to the sessions that watch it and to its owner, with the queue that is left.
INSERT INTO {inbox} (session, text)
SELECT concerned.session, 'd' || :ticket || coalesce((
  SELECT group_concat(' ' || number || ':' || session || ':' || request || ':' || generation || ':' || mode || ':' || permits, '')
  FROM (SELECT * FROM {ticket} WHERE name = :name AND NOT (number = :number AND generation = :generation) ORDER BY number)), '')
FROM (
  SELECT session FROM {watch} WHERE name = :name AND number = :number AND generation = :generation
  UNION
  SELECT session FROM {ticket}
  WHERE name = :name AND number = :number AND generation = :generation AND session = :owner AND session <> :me) concerned;
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation;
DELETE FROM {ticket} WHERE name = :name AND number = :number AND generation = :generation AND session = :owner;
SELECT changes()
