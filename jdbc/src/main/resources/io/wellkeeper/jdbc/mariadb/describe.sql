-- Writes something new on one's own ticket.
UPDATE {ticket} SET metadata = :metadata WHERE name = :name AND number = :number AND session = :me
