-- Reads the notices of some names, and their versions.
SELECT name, COALESCE(notice, ''), version FROM {lock} WHERE name IN (:names)
