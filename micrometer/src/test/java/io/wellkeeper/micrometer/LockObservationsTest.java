package io.wellkeeper.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockObservationsTest {

    private static final Duration SHORT = Duration.ofMillis(20);

    private final List<String> stopped = new CopyOnWriteArrayList<>();
    private final List<String> threads = new CopyOnWriteArrayList<>();
    private volatile Consumer<String> fault = when -> {};
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final InMemoryServer server = new InMemoryServer();
    private final LockClient plain = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient other = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient client = new LockObservations(registry).observe(plain);

    LockObservationsTest() {
        registry.observationConfig().observationHandler(new Recorder());
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
        assertThat(registry.getCurrentObservation()).as("left open").isNull();
    }

    /** Writes down what was observed: the name of the span, the names, the mode, the outcome and the error. */
    private final class Recorder implements ObservationHandler<LockContext> {

        @Override
        public void onStart(LockContext context) {
            fault.accept("start");
            threads.add(Thread.currentThread().getName());
        }

        @Override
        public void onScopeOpened(LockContext context) {
            fault.accept("open");
        }

        @Override
        public void onScopeClosed(LockContext context) {
            fault.accept("close");
        }

        @Override
        public void onStop(LockContext context) {
            fault.accept("stop");
            Throwable error = context.getError();
            stopped.add(context.getContextualName() + ": " + value(context, "lock.name") + " "
                    + value(context, "mode") + " " + value(context, "outcome")
                    + (error == null ? "" : " " + error.getClass().getSimpleName()));
        }

        private String value(LockContext context, String key) {
            for (KeyValue one : context.getAllKeyValues()) {
                if (one.getKey().equals(key)) {
                    return one.getValue();
                }
            }
            return "?";
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockContext;
        }
    }

    @Test
    void locksOfEveryKind_areObservedAndWorkAsBefore() throws Exception {
        DistributedLock lock = client.lock("orders/1");
        lock.lock();
        assertThat(plain.lock("orders/1").isHeldByCurrentThread()).isTrue();
        lock.unlock();
        client.readWriteLock("catalogue").readLock().acquire().close();
        LockHandle writing = client.readWriteLock("catalogue").writeLock().acquire();
        client.readWriteLock("catalogue").downgrade(writing).close();
        DistributedSemaphore erp = client.semaphore("erp", 3);
        erp.acquire().close();
        erp.drainPermits().orElseThrow().close();

        assertThat(stopped)
                .containsExactly(
                        "acquire orders/*: orders/1 lock acquired",
                        "acquire catalogue: catalogue read acquired",
                        "acquire catalogue: catalogue write acquired",
                        "acquire erp: erp permits acquired",
                        "acquire erp: erp permits acquired");
        assertThat(threads).containsOnly(Thread.currentThread().getName());
    }

    @Test
    void multiLock_ofObservedLocks_isObserved() throws Exception {
        DistributedMultiLock both = client.all(List.of(client.lock("accounts/1"), client.lock("accounts/2")));
        both.acquire().close();
        client.all("accounts/1", "audit").acquire().close();

        assertThat(stopped)
                .containsExactly(
                        "acquire accounts/*: accounts/1 accounts/2 all acquired",
                        "acquire other: accounts/1 audit all acquired");
    }

    @Test
    void outcomes_areTold() throws Exception {
        LockHandle held = other.lock("orders/1").acquire();
        DistributedLock lock = client.lock("orders/1");

        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lock.tryAcquire(SHORT)).isEmpty();
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        CompletableFuture<LockHandle> cancelled = lock.acquireAsync();
        cancelled.cancel(false);
        held.close();
        lock.lock();
        other.admin().breakLock("orders/1", "test");
        await().pollInSameThread().until(() -> !lock.isHeldByCurrentThread());
        assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        client.close();
        assertThatThrownBy(lock::lock).isInstanceOf(LockClientClosedException.class);

        assertThat(stopped)
                .map(one -> one.replace("acquire orders/*: orders/1 lock ", ""))
                .containsExactly(
                        "busy",
                        "timeout",
                        "timeout",
                        "interrupted",
                        "cancelled",
                        "acquired",
                        "lost LockLostException",
                        "error LockClientClosedException");
    }

    @Test
    void withLockAsync_isObservedUntilTheActionBegins() throws Exception {
        CompletableFuture<String> action = new CompletableFuture<>();
        CompletableFuture<String> done = client.lock("orders/1").withLockAsync(handle -> action);
        await().untilAsserted(() -> assertThat(stopped).containsExactly("acquire orders/*: orders/1 lock acquired"));

        action.complete("sent");

        assertThat(done.get(10, TimeUnit.SECONDS)).isEqualTo("sent");
        assertThat(stopped).hasSize(1);
    }

    @Test
    void acquireAsync_isObservedUntilItIsCompleted() throws Exception {
        LockHandle held = other.lock("orders/1").acquire();
        CompletableFuture<LockHandle> granted = client.lock("orders/1").acquireAsync();
        CompletableFuture<Optional<LockHandle>> late = client.lock("orders/1").tryAcquireAsync(SHORT);
        assertThat(late.get(10, TimeUnit.SECONDS)).isEmpty();
        await().untilAsserted(() -> assertThat(stopped).containsExactly("acquire orders/*: orders/1 lock timeout"));

        held.close();
        granted.get(10, TimeUnit.SECONDS).close();

        await().untilAsserted(() -> assertThat(stopped).contains("acquire orders/*: orders/1 lock acquired"));
        assertThat(threads).containsOnly(Thread.currentThread().getName());
    }

    @Test
    void observation_isTheChildOfTheCallersAndCurrentWhileItWaits() {
        Observation request = Observation.start("request", registry);
        try (Observation.Scope scope = request.openScope()) {
            client.lock("orders/1").lock();
            client.lock("orders/1").unlock();
            assertThat(registry.getCurrentObservation()).isSameAs(request);
        }
        request.stop();
        assertThat(stopped).hasSize(1);
    }

    @Test
    void leases_areObserved() throws Exception {
        try (LeaseClient leases =
                        new LockObservations(registry).observe(LeaseClient.over(new InMemoryLeaseStore(server)));
                LockHandle held = leases.acquireLease("nightly", Duration.ofMinutes(1))) {
            assertThat(leases.tryAcquireLease("nightly", Duration.ofMinutes(1))).isEmpty();
            assertThat(leases.tryAcquireLease("nightly", Duration.ofMinutes(1), SHORT))
                    .isEmpty();
            assertThat(leases.lock("nightly").tryLock()).isFalse();
            assertThat(held.isHeld()).isTrue();
        }

        assertThat(stopped)
                .containsExactly(
                        "acquire nightly: nightly lease acquired",
                        "acquire nightly: nightly lease busy",
                        "acquire nightly: nightly lease timeout",
                        "acquire nightly: nightly lock busy");
    }

    @Test
    void handlerThatThrows_atAnyMoment_costsNoLockAndLeavesNothingOpen() throws Exception {
        for (String moment : List.of("start", "open", "close", "stop")) {
            fault = when -> {
                if (when.equals(moment)) {
                    throw new IllegalStateException("broken telemetry");
                }
            };

            try (LockHandle held = client.lock("orders/1").acquire()) {
                assertThat(held.isHeld()).isTrue();
                assertThat(registry.getCurrentObservation()).as(moment).isNull();
            }
        }
    }

    @Test
    void conventionThatThrows_costsNoLock() throws Exception {
        registry.observationConfig().observationConvention(new LockConvention() {
            @Override
            public @Nullable String getContextualName(LockContext context) {
                throw new IllegalStateException("broken convention");
            }
        });

        client.lock("orders/1").acquire().close();

        assertThat(other.lock("orders/1").tryAcquire()).isPresent();
    }

    @Test
    void conventionOfTheUsers_isFollowed() throws Exception {
        registry.observationConfig().observationConvention(new LockConvention() {
            @Override
            public String getContextualName(LockContext context) {
                return "lock " + context.names().get(0);
            }
        });

        client.lock("orders/1").acquire().close();

        assertThat(stopped).containsExactly("lock orders/1: orders/1 lock acquired");
    }

    @Test
    void equalsAndToString_areThoseOfTheObserved() {
        assertThat(client).isEqualTo(plain).isEqualTo(new LockObservations(registry).observe(plain));
        assertThat(client.hashCode()).isEqualTo(plain.hashCode());
        assertThat(client.lock("a").toString()).isEqualTo(plain.lock("a").toString());
    }

    @Test
    void registryThatIsOff_observesNothing() throws Exception {
        LockClient unobserved = new LockObservations(ObservationRegistry.NOOP).observe(plain);

        unobserved.lock("orders/1").acquire().close();

        assertThat(stopped).isEmpty();
    }
}
