-- The queues of some names, and the milliseconds until the first of all sessions ends.
SELECT queue, {left} FROM {lock} WHERE name IN (:names)
