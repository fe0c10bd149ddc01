-- Reads the notice and its version.
SELECT notice, version FROM {lock} WHERE name = :name
