-- What is written on the tickets of a name.
SELECT number, metadata FROM {ticket} WHERE name = :name
