package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.FamilyCrashContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes of one machine that die or stand still while they hold something else than the plain lock. */
@Tag("full")
@ExtendWith(SharedServers.class)
class SqliteFamilyCrashTest extends FamilyCrashContract {

    private final SqliteServer server;

    SqliteFamilyCrashTest(SqliteServer server) {
        this.server = server;
    }

    @Override
    protected String uri() {
        return server.uri(0);
    }
}
