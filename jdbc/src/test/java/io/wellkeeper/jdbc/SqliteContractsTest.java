package io.wellkeeper.jdbc;

/** SQLite keeps every contract. */
class SqliteContractsTest extends AllContracts {

    SqliteContractsTest(SqliteServer server) {
        super(server);
    }
}
