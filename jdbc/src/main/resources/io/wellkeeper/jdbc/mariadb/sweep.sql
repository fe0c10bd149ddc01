-- Writes down what is left of a queue without the tickets of ended sessions.
UPDATE {lock} SET queue = :queue, watches = :watches, alone = :alone WHERE name = :name;
DELETE FROM {ticket} WHERE name = :name AND number IN (:numbers)
