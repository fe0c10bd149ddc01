package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.FamilyCrashContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("slow")
@ExtendWith(SharedServers.class)
class MariaDbFamilyCrashTest extends FamilyCrashContract {

    private final MariaDbServer server;

    MariaDbFamilyCrashTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected String uri() {
        return server.uri(server.port());
    }
}
