package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** While a crowd uses a lock, the server does what servers do. Nobody sees an error, and nobody is inside beside another. */
@ExtendWith(SharedServers.class)
abstract class ServerTrouble {

    private static final int CLIENTS = 4;
    private static final int THREADS = 4;
    private static final int ROUNDS = 60;
    private static final int TROUBLES = 5;

    private final Servers server;
    private final List<Wire> wires = new ArrayList<>();

    ServerTrouble(Servers server) {
        this.server = server;
    }

    @Test
    void lock_whileConnectionsAreKilled_everyoneGetsInAlone() throws Exception {
        crowd(server::killConnections);
    }

    @Test
    void lock_whileTheServerCrashes_everyoneGetsInAlone() throws Exception {
        crowd(server::restart);
    }

    interface Trouble {
        void make() throws SQLException;
    }

    void crowd(Trouble trouble) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS * THREADS);
        List<LockClient> clients = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicLong lastToken = new AtomicLong();
        List<Future<?>> all = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                LockClient client = client();
                clients.add(client);
                for (int t = 0; t < THREADS; t++) {
                    all.add(threads.submit(() -> {
                        DistributedLock lock = client.lock("trouble");
                        for (int round = 0; round < ROUNDS; round++) {
                            try (LockHandle handle = lock.acquire()) {
                                assertThat(inside.incrementAndGet()).isEqualTo(1);
                                assertThat(lastToken.getAndSet(handle.fencingToken()))
                                        .isLessThan(handle.fencingToken());
                                inside.decrementAndGet();
                                done.incrementAndGet();
                            }
                        }
                        return "done";
                    }));
                }
            }
            for (int i = 1; i <= TROUBLES; i++) {
                int enough = i * CLIENTS * THREADS * ROUNDS / (TROUBLES + 1);
                while (done.get() < enough && all.stream().noneMatch(Future::isDone)) {
                    LockSupport.parkNanos(1_000_000);
                }
                trouble.make();
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            clients.forEach(LockClient::close);
            wires.forEach(Wire::close);
            threads.shutdownNow();
        }
    }

    private LockClient client() {
        Wire wire = server.wire(new Tables(Optional.empty(), Tables.PREFIX));
        wires.add(wire);
        return LockClient.over(
                wire.store(),
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(20)).build());
    }
}
