-- Reads the notices of some names, and their versions.
SELECT name, notice, version FROM {lock} WHERE name IN (SELECT value FROM json_each(:names))
