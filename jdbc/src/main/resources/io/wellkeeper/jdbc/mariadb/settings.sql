-- How the server keeps what was committed, and who runs it.
SELECT 'innodb_flush_log_at_trx_commit', CAST(@@global.innodb_flush_log_at_trx_commit AS CHAR)
UNION ALL SELECT 'sync_binlog', CAST(@@global.sync_binlog AS CHAR)
UNION ALL SELECT 'log_bin', CAST(@@global.log_bin AS CHAR)
UNION ALL SELECT 'innodb_doublewrite', CAST(@@global.innodb_doublewrite AS CHAR)
UNION ALL SELECT 'basedir', CAST(@@global.basedir AS CHAR)
UNION ALL SELECT 'version_comment', CAST(@@global.version_comment AS CHAR)
