package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The answer that gives a lease comes late, so that little is left of it. */
class LateLeaseTest {

    private static final Duration ONE_WAY = Duration.ofSeconds(3);
    private static final Duration TTL = Duration.ofSeconds(10);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void acquire_answerIsLate_leaseIsRenewedBeforeItEnds() {
        LeaseClient client = over(new InMemoryLeaseStore(server));
        server.delay(ONE_WAY);
        CompletableFuture<LockHandle> acquired = client.lock("late").acquireAsync();
        time.advance(ONE_WAY);
        server.delay(Duration.ZERO); // for what is sent from now on
        time.advance(ONE_WAY);
        LockHandle handle = acquired.join();
        assertThat(handle.remaining()).isPositive();

        time.advance(TTL.multipliedBy(2));

        assertThat(handle.isHeld()).isTrue();
        handle.close();
        time.advance(TTL);
        assertThat(server.leftovers()).isEmpty();
    }

    /** A store of one's own that answers at once would even be asked ever deeper in the stack. */
    @Test
    void tryAcquire_eachLeaseIsOverWhenItComes_isAskedForAfterPauses() {
        AtomicInteger asked = new AtomicInteger();
        LeaseClient client = LeaseClient.over(
                new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
                    @Override
                    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                        asked.incrementAndGet();
                        return CompletableFuture.completedFuture(Optional.of(
                                new Lease(request.name(), request.owner(), OptionalLong.empty(), Duration.ZERO)));
                    }
                },
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());

        CompletableFuture<Optional<LockHandle>> acquired = client.lock("late").tryAcquireAsync(TTL);
        time.advance(TTL);

        assertThat(acquired).isCompletedWithValue(Optional.empty());
        assertThat(asked).hasValueLessThan(30);
        client.close();
    }

    /** It would keep everybody out to the end of its time, and nobody would know of it. */
    @Test
    void tryAcquire_firstRequestIsCarriedOutWhenTheNextIsRefused_isReleased() {
        CompletableFuture<LockHandle> others =
                over(new InMemoryLeaseStore(server)).lock("late").acquireAsync();
        time.advance(ONE_WAY);
        List<LeaseRequest> lost = new ArrayList<>();
        LeaseClient client = over(new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
            @Override
            public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                if (lost.isEmpty()) {
                    lost.add(request);
                    return CompletableFuture.failedFuture(new LockStoreException("the connection has broken"));
                }
                return super.tryAcquire(request).thenApply(answer -> {
                    others.join().close();
                    super.tryAcquire(lost.get(0));
                    return answer;
                });
            }
        });

        CompletableFuture<Optional<LockHandle>> acquired = client.lock("late").tryAcquireAsync(Duration.ZERO);
        time.advance(Duration.ofSeconds(1));

        assertThat(acquired).isCompletedWithValue(Optional.empty());
        assertThat(lost).hasSize(1);
        assertThat(server.leftovers()).isEmpty();
    }

    private LeaseClient over(LeaseStore store) {
        return LeaseClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(TTL)
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
    }
}
