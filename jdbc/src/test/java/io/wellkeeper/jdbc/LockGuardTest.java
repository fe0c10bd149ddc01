package io.wellkeeper.jdbc;

class LockGuardTest extends LockGuards {

    LockGuardTest() {
        super(
                RealDatabase.POSTGRESQL,
                "public",
                "clock_timestamp() - interval '1 hour'",
                "CAST(extract(epoch FROM %s) * 1000 AS bigint)");
    }
}
