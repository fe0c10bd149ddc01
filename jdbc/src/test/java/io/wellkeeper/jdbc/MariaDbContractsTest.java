package io.wellkeeper.jdbc;

/** MariaDB keeps every contract. */
class MariaDbContractsTest extends AllContracts {

    MariaDbContractsTest(MariaDbServer server) {
        super(server);
    }
}
