-- Watches a ticket, or with the number 0 a notice, no longer.
UPDATE {lock} SET watches = REPLACE(watches, CONCAT(' ', :number, ':', :generation, ':', :me, ' '), ' ') WHERE name = :name
