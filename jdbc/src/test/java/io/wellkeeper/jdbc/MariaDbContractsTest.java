package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

/** MariaDB keeps every contract. */
@Tag("slow")
class MariaDbContractsTest extends AllContracts {

    MariaDbContractsTest(MariaDbServer server) {
        super(server);
    }
}
