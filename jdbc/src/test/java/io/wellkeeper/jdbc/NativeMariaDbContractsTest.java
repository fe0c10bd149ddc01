package io.wellkeeper.jdbc;

class NativeMariaDbContractsTest extends NativeContracts {

    NativeMariaDbContractsTest(MariaDbServer server) {
        super(server);
    }
}
