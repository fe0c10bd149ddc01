-- How the server keeps what was committed; and settings that only the servers of cloud services have, with a storage of
-- their own.
SELECT name, setting FROM pg_settings WHERE name IN ('synchronous_commit', 'fsync', 'full_page_writes')
  OR name ~ '^(neon|rds|apg|alloydb|azure|cloudsql)[._]'
