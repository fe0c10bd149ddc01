package io.wellkeeper.jdbc;

class LockGuardMariaDbTest extends LockGuards {

    LockGuardMariaDbTest() {
        super(
                RealDatabase.MARIADB,
                "wellkeeper",
                "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR",
                "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s) DIV 1000");
    }
}
