-- How the server keeps what was committed; and what only those have that run as a service, with a storage of their own.
SELECT name, setting FROM pg_settings WHERE name IN ('synchronous_commit', 'fsync', 'full_page_writes')
  OR name ~ '^(neon|rds|apg|alloydb|azure|cloudsql)[._]'
