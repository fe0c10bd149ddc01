package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.testservers.PgBouncerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PgBouncer between a client and PostgreSQL, with the driver as it comes. */
@Tag("full")
@ExtendWith(SharedServers.class)
class PoolerTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 50;
    private static final int SECONDS = 120;

    private final PostgresServer server;
    private final String prefix = RealDatabase.prefix();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    PoolerTest(PostgresServer server) {
        this.server = server;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private String uri(PgBouncerProcess pooler, String scheme) {
        return server.uri(pooler.port()).replaceFirst("jdbc:", scheme);
    }

    private static PgBouncerProcess start(PostgresServer server, String mode) {
        assumeTrue(PgBouncerProcess.isPossible(), "PgBouncer is not installed");
        return PgBouncerProcess.start(server.port(), mode);
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "transaction", "statement"})
    void lock_manyAskForIt_oneAtATimeAndNoErrors(String mode) throws Exception {
        try (PgBouncerProcess pooler = start(server, mode);
                LockClient one = LockClient.connect(uri(pooler, "jdbc:") + "&prefix=" + prefix);
                LockClient other = LockClient.connect(uri(pooler, "jdbc:") + "&prefix=" + prefix)) {
            AtomicInteger inside = new AtomicInteger();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                LockClient client = i % 2 == 0 ? one : other;
                all.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        try (LockHandle held = client.lock("l").acquire()) {
                            held.checkHeld();
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            inside.decrementAndGet();
                        }
                    }
                    return "done";
                }));
            }
            for (Future<?> each : all) {
                each.get(SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "transaction", "statement"})
    void tryAcquire_leaseByTurns_isGivenAndKept(String mode) {
        try (PgBouncerProcess pooler = start(server, mode);
                LeaseClient one = LeaseClient.connect(uri(pooler, "jdbc-simple:") + "&prefix=" + prefix);
                LeaseClient other = LeaseClient.connect(uri(pooler, "jdbc-simple:") + "&prefix=" + prefix)) {
            for (int round = 0; round < ROUNDS; round++) {
                try (LockHandle held = one.lock("l").tryAcquire().orElseThrow()) {
                    assertThat(other.lock("l").tryLock()).isFalse();
                    held.checkHeld();
                }
            }
        }
    }

    @Test
    void tryLock_lockOfASessionThatOthersShare_isRefused() {
        try (PgBouncerProcess pooler = start(server, "transaction");
                LeaseClient one = LeaseClient.connect(uri(pooler, "jdbc-native:"));
                LeaseClient other = LeaseClient.connect(uri(pooler, "jdbc-native:"))) {
            one.lock(prefix).tryLock();
            assertThatThrownBy(() -> other.lock(prefix).lock())
                    .hasMessageContaining("connect past the pooler")
                    .hasCauseInstanceOf(StoreRefusalException.class);
        }
    }
}
