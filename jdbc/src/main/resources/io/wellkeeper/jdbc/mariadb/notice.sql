-- Reads the notice and its version.
SELECT COALESCE(notice, ''), version FROM {lock} WHERE name = :name
