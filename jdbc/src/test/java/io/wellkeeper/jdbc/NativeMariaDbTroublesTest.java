package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class NativeMariaDbTroublesTest extends NativeTroubles {

    private static final Duration TTL = Duration.ofMillis(1200);

    NativeMariaDbTroublesTest(MariaDbServer server) {
        super(server);
    }

    @Override
    String strangersLock() {
        return "SELECT GET_LOCK(?, 0)";
    }

    @Override
    String strangersUnlock() {
        return "SELECT RELEASE_LOCK(?)";
    }

    @Test
    void tryAcquire_serverIsReadOnly_isRefused() throws SQLException {
        LeaseStore store = store();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL read_only = ON");
            try {
                assertThat(Await.failure(store.tryAcquire(new LeaseRequest(name, "me", TTL, ""))))
                        .hasMessageContaining("read-only");
            } finally {
                statement.execute("SET GLOBAL read_only = OFF");
            }
        }
    }

    @Test
    void tryAcquire_namesThatDifferInCase_areTwoLocks() {
        LeaseStore store = store();

        assertThat(ask(store, name + "a", TTL)).isPresent();
        assertThat(ask(store, name + "A", TTL)).isPresent();
        assertThat(ask(store(), name + "A", TTL)).isEmpty();
    }

    @Test
    void tryAcquire_partsOfASecond_serverWaitsAsLongAtLeast() throws Exception {
        Connection[] made = new Connection[1];
        LeaseStore store = over(() -> made[0] = server.connect());
        ask(store, name, TTL).orElseThrow();

        try (Statement statement = made[0].createStatement();
                var row = statement.executeQuery("SELECT @@wait_timeout")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(2);
        }
    }
}
