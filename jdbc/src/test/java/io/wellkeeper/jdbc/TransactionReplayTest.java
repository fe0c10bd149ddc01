package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.sql.DriverManager;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A driver that repeats a lost transaction does not look at what a check of it answers then. */
@Tag("full")
@ExtendWith(SharedServers.class)
class TransactionReplayTest {

    private final MariaDbServer server;

    TransactionReplayTest(MariaDbServer server) {
        this.server = server;
    }

    @Test
    void check_driverRepeatsTransactions_isRefused() throws Exception {
        PlainDataSource source = () -> DriverManager.getConnection(server.uriOfTwoHosts() + "&transactionReplay=true");
        try (Connection connection = source.getConnection();
                LockClient client = LockClient.connect(server.uri(server.port()));
                LockHandle held = client.lock("replay").acquire()) {
            connection.setAutoCommit(false);

            assertRefused(() -> Fence.standard().check(connection, "replay", held.fencingToken()));
            assertRefused(() -> LockGuard.standard().guard(connection, held));
            assertRefused(
                    () -> OptimisticLock.on(source, "cart", "id", "version").advance(connection, 7, 1));
            assertRefused(() -> RowLocks.over(source).transaction("replay"));
            assertRefused(() -> RowLocks.over(source).in(connection).lock("replay"));
            assertRefused(() -> LockClient.over(SqlTicketStore.over(source)));
        }
    }

    private static void assertRefused(ThrowingCallable use) {
        assertThatThrownBy(use).hasMessageContaining("transactionReplay");
    }
}
