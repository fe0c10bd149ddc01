package io.wellkeeper.jdbc;

import io.wellkeeper.testkit.FamilyCrashContract;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServers.class)
class PostgresFamilyCrashTest extends FamilyCrashContract {

    private final PostgresServer server;

    PostgresFamilyCrashTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected String uri() {
        return server.uri(server.port());
    }
}
