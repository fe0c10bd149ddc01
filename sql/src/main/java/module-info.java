/** Wellkeeper locks kept in SQL databases. */
module io.wellkeeper.sql {
    requires transitive io.wellkeeper;
    requires transitive java.sql;
    requires transitive static org.jspecify;
    requires static org.checkerframework.checker.qual;
    requires org.postgresql.jdbc;

    exports io.wellkeeper.sql;

    provides io.wellkeeper.spi.StoreProvider with
            io.wellkeeper.sql.SqlTicketStoreProvider;
}
