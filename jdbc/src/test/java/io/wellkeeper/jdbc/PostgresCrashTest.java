package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.CrashContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("full")
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
