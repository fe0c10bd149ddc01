-- Watches a ticket, or with the number 0 a notice, no longer.
UPDATE {lock} SET watches = replace(watches, ' ' || :number || ':' || :generation || ':' || :me || ' ', ' ')
WHERE name = :name AND watches <> ' '
