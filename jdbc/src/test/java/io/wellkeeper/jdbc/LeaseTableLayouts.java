package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The kinds of tables, for the kits. The names of locks are longer than in the original tables, as the kits want them. */
final class LeaseTableLayouts {

    private static final String POSTGRESQL_NOW = "timezone('utc', clock_timestamp())";
    private static final String MARIADB_NOW = "UTC_TIMESTAMP(6)";

    private LeaseTableLayouts() {}

    static LeaseTableKit.Layout leasesOverPostgres() {
        return leases("postgresql", "clock_timestamp()");
    }

    static LeaseTableKit.Layout leasesOverMariaDb() {
        return leases("mariadb", MARIADB_NOW);
    }

    static LeaseTableKit.Layout leasesOverSqlite() {
        return leases("sqlite", "unixepoch('subsec') * 1000000");
    }

    private static LeaseTableKit.Layout leases(String dialect, String now) {
        return layout(
                LeaseTableStore::of,
                UnaryOperator.identity(),
                "prefix={prefix}",
                true,
                "lease",
                Script.read("leases/" + dialect, "schema.sql").replace("{table}", "{prefix}lease"),
                "name",
                "owner",
                "expires > " + now);
    }

    static LeaseTableKit.Layout shedLockOverPostgres() {
        return shedLock("varchar(512) COLLATE \"C\"", "timestamp", POSTGRESQL_NOW);
    }

    static LeaseTableKit.Layout shedLockOverMariaDb() {
        return shedLock("varbinary(512)", "timestamp(3)", MARIADB_NOW);
    }

    private static LeaseTableKit.Layout shedLock(String name, String timestamp, String now) {
        return layout(
                ShedLockLeaseStore::of,
                UnaryOperator.identity(),
                "table={prefix}shedlock",
                false,
                "shedlock",
                "CREATE TABLE {prefix}shedlock (name " + name + " NOT NULL PRIMARY KEY, lock_until " + timestamp
                        + " NOT NULL, locked_at " + timestamp + " NOT NULL, locked_by varchar(255) NOT NULL)",
                "name",
                "locked_by",
                "lock_until > " + now);
    }

    static LeaseTableKit.Layout intLockOverPostgres() {
        return intLock("timestamp", POSTGRESQL_NOW);
    }

    static LeaseTableKit.Layout intLockOverMariaDb() {
        return intLock("datetime(6)", MARIADB_NOW);
    }

    private static LeaseTableKit.Layout intLock(String timestamp, String now) {
        return layout(
                IntLockLeaseStore::of,
                IntLockLeaseStore::uuid,
                "prefix={prefix}",
                false,
                "LOCK",
                "CREATE TABLE {prefix}LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL, CLIENT_ID char(36),"
                        + " CREATED_DATE " + timestamp + " NOT NULL, EXPIRED_AFTER " + timestamp
                        + " NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))",
                "LOCK_KEY",
                "CLIENT_ID",
                "EXPIRED_AFTER >= " + now);
    }

    private static LeaseTableKit.Layout layout(
            Function<StoreUri, LeaseStore> maker,
            UnaryOperator<String> column,
            String parameters,
            boolean tokens,
            String table,
            String create,
            String name,
            String owner,
            String held) {
        String rows = " FROM {prefix}" + table + " WHERE ";
        return new LeaseTableKit.Layout(
                maker,
                column,
                "&" + parameters,
                tokens,
                create,
                "DROP TABLE {prefix}" + table,
                "DELETE" + rows + name + " = ?",
                "DELETE" + rows + owner + " = ?",
                "SELECT " + name + rows + held);
    }
}
