package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.LeaseStore;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class LeaseTableMariaDbTroublesTest extends LeaseTableTroubles {

    private final MariaDbServer server;

    LeaseTableMariaDbTroublesTest(MariaDbServer server) {
        super(server);
        this.server = server;
    }

    @Test
    void tryAcquire_driverHasConnectedAgainByItself_succeedsAllTheSame() throws SQLException {
        LeaseStore store = store(server.uriOfTwoHosts());
        Await.get(store.tryAcquire(request("again")));
        server.killConnections();

        assertThat(Await.get(store.tryAcquire(request("once more")))).isPresent();
    }
}
