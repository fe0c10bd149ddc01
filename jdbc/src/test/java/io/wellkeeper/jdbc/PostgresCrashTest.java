package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.CrashContract;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServers.class)
class PostgresCrashTest extends CrashContract {

    private final PostgresServer server;

    PostgresCrashTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected String uri() {
        return server.uri(server.port());
    }
}
