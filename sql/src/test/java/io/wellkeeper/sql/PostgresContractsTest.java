package io.wellkeeper.sql;

/** PostgreSQL keeps every contract. */
class PostgresContractsTest extends AllContracts {

    PostgresContractsTest(PostgresServer server) {
        super(server);
    }
}
