package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class PostgresTroubleTest extends ServerTrouble {

    private final PostgresServer server;

    PostgresTroubleTest(PostgresServer server) {
        super(server);
        this.server = server;
    }

    @Test
    void lock_whileOneBackendAfterTheOtherIsKilled_everyoneGetsInAlone() throws Exception {
        crowd(server::killBackend);
    }

    @Test
    void lock_whileTheServerIsStoppedAtOnceAndStarted_everyoneGetsInAlone() throws Exception {
        crowd(server::stopAndStart);
    }
}
