package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What it costs when many of one client wait for one name over a store of leases, each for a lease of its own. */
class CrowdedLeaseTest {

    private static final String NAME = "crowded";
    private static final int MANY = 100;
    private static final int TRIES_OF_EACH = 6;
    private static final int MOST_OVERTAKING = 1;
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration A_WHILE = Duration.ofMillis(30);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicInteger tries = new AtomicInteger();
    private final ClientOptions options =
            ClientOptions.builder().time(time).callbackExecutor(time.executor()).build();
    private final LeaseClient other = LeaseClient.over(new InMemoryLeaseStore(server), options);
    private final LeaseClient client = LeaseClient.over(
            new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
                @Override
                public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                    tries.incrementAndGet();
                    return super.tryAcquire(request);
                }
            },
            options);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void acquireLease_manyWait_eachTriesAFewTimesAndTheyComeInTurn() {
        assertFewTries(() -> client.acquireLeaseAsync(NAME, LONG));
    }

    @Test
    void lock_neverHandedOver_eachTriesAFewTimesAndTheyComeInTurn() {
        LockOptions alone = LockOptions.builder().handOvers(0).build();
        assertFewTries(() -> client.lock(NAME, alone).acquireAsync());
    }

    @Test
    void close_manyWait_nothingMoreIsAskedFor() {
        LeaseHandle held = time.call(() -> other.acquireLease(NAME, LONG));
        List<CompletableFuture<LeaseHandle>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(client.acquireLeaseAsync(NAME, LONG));
        }
        time.advance(A_WHILE);
        int before = tries.get();

        client.close();
        time.runUntilIdle();

        assertThat(tries).hasValue(before);
        assertThat(all)
                .allSatisfy(one -> assertThat(one)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(LockClientClosedException.class));
        held.close();
    }

    private void assertFewTries(Supplier<CompletableFuture<? extends LockHandle>> acquire) {
        LeaseHandle held = time.call(() -> other.acquireLease(NAME, LONG));
        List<Integer> in = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            int who = i;
            acquire.get().thenAccept(handle -> {
                in.add(who);
                handle.close();
            });
        }
        time.advance(A_WHILE);
        assertThat(in).isEmpty();

        held.close();

        for (int i = 0; i < MANY; i++) {
            time.advance(A_WHILE);
        }
        assertThat(in).hasSize(MANY);
        for (int who = 0; who < MANY; who++) {
            assertThat(in.indexOf(who)).isCloseTo(who, within(MOST_OVERTAKING));
        }
        assertThat(tries).hasValueLessThan(MANY * TRIES_OF_EACH);
    }
}
