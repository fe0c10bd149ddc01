-- Everything about the queue of a name, under its row.
START TRANSACTION;
SELECT queue, watches, alone FROM {lock} WHERE name = :name FOR UPDATE
