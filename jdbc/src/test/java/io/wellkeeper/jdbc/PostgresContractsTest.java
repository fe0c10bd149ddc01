package io.wellkeeper.jdbc;

/** PostgreSQL keeps every contract. */
class PostgresContractsTest extends AllContracts {

    PostgresContractsTest(PostgresServer server) {
        super(server);
    }
}
