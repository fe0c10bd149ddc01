-- The queue of a name, and the milliseconds until the first of all sessions ends.
SELECT queue, {left} FROM {lock} WHERE name = :name
