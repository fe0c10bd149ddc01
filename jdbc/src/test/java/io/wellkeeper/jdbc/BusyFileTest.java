package io.wellkeeper.jdbc;

import static io.wellkeeper.jdbc.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another program writes to the SQLite file, for longer than one attempt waits. */
class BusyFileTest {

    private static final Duration TTL = Duration.ofSeconds(4); // so a renewal has one and a half seconds
    private static final long LONG_NANOS = Duration.ofMillis(700).toNanos();

    private Connection another;
    private LeaseStore store;

    @BeforeEach
    void connect(@TempDir Path folder) throws SQLException {
        Path file = folder.resolve("locks.db");
        another = DriverManager.getConnection("jdbc:sqlite:" + file);
        store = LeaseTableStore.of(StoreUri.parse("jdbc-simple:sqlite:" + file + "?anyFileSystem=true"));
    }

    @AfterEach
    void disconnect() throws SQLException {
        store.close();
        another.close();
    }

    @Test
    void renew_isTriedAgain_isAnsweredAsSoonAsTheOtherHasWritten() throws SQLException {
        Lease lease =
                get(store.tryAcquire(new LeaseRequest("l", "me", TTL, ""))).orElseThrow();
        try (Statement statement = another.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            CompletableFuture<Boolean> renewal = store.renew(lease, TTL).toCompletableFuture();
            long start = System.nanoTime();
            await().until(() -> renewal.isDone() || System.nanoTime() - start > LONG_NANOS);
            statement.execute("COMMIT");

            assertThat(get(renewal)).isTrue();
        }
    }
}
