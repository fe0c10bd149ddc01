package io.wellkeeper.jdbc;

class NativePostgresContractsTest extends NativeContracts {

    NativePostgresContractsTest(PostgresServer server) {
        super(server);
    }
}
