package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.CrashContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes of one machine that die, and processes that only seem to. */
@ExtendWith(SharedServers.class)
class SqliteCrashTest extends CrashContract {

    private final SqliteServer server;

    SqliteCrashTest(SqliteServer server) {
        this.server = server;
    }

    @Override
    protected String uri() {
        return server.uri(0);
    }
}
