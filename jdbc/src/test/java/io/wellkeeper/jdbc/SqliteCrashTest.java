package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.CrashContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes of one machine that die, and processes that only seem to. */
@Tag("full")
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
