/** Wellkeeper locks kept in SQL databases. */
module io.wellkeeper.jdbc {
    requires transitive io.wellkeeper;
    requires transitive java.sql;
    requires transitive static org.jspecify;
    requires static org.checkerframework.checker.qual;
    requires static org.postgresql.jdbc;
    requires org.slf4j;

    exports io.wellkeeper.jdbc;

    provides io.wellkeeper.spi.StoreProvider with
            io.wellkeeper.jdbc.SqlTicketStoreProvider;
    provides io.wellkeeper.spi.LeaseStoreProvider with
            io.wellkeeper.jdbc.IntLockLeaseStoreProvider,
            io.wellkeeper.jdbc.LeaseTableStoreProvider,
            io.wellkeeper.jdbc.NativeLeaseStoreProvider,
            io.wellkeeper.jdbc.ShedLockLeaseStoreProvider;
}
