-- Watches a ticket, or with the number 0 a notice, no longer.
DELETE FROM {watch} WHERE name = :name AND number = :number AND generation = :generation AND session = :me
