-- The queue of a name.
SELECT queue, {soonest} FROM {lock} WHERE name = :name
