package io.wellkeeper.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.Permits;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockMetricsTest {

    private static final Duration SHORT = Duration.ofMillis(20);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final InMemoryServer server = new InMemoryServer();
    private final InMemoryTicketStore store = new InMemoryTicketStore(server);
    private final LockMetrics metrics = new LockMetrics(registry, new LockGroups(), Tags.of("app", "shop"));
    private final LockClient client = client(store, metrics, Duration.ofSeconds(10));
    private final LockClient other = LockClient.over(new InMemoryTicketStore(server));

    private static LockClient client(InMemoryTicketStore store, LockMetrics metrics, Duration sessionTimeout) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(sessionTimeout)
                        .listener(metrics)
                        .build());
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
    }

    private long timed(String name, String group, String mode, String outcome) {
        Timer timer = registry.find(name)
                .tags("lock.group", group, "mode", mode, "outcome", outcome, "app", "shop")
                .timer();
        return timer == null ? 0 : timer.count();
    }

    private void awaitAcquire(String outcome, long count) {
        await().until(() -> timed("wellkeeper.lock.acquire", "orders/*", "lock", outcome) == count);
    }

    private double gauge(String name, String group, String mode) {
        Gauge gauge = registry.find(name)
                .tags("lock.group", group, "mode", mode, "app", "shop")
                .gauge();
        return gauge == null ? 0 : gauge.value();
    }

    private void awaitWaiting(double count) {
        await().until(() -> gauge("wellkeeper.lock.waiting", "orders/*", "lock") == count);
    }

    @Test
    void lockAndUnlock_countsAndTimesThem() throws Exception {
        for (int i = 0; i < 3; i++) {
            DistributedLock lock = client.lock("orders/" + i);
            lock.lock();
            lock.lock();
            lock.unlock();
            lock.unlock();
        }

        awaitAcquire("acquired", 3);
        await().until(() -> timed("wellkeeper.lock.hold", "orders/*", "lock", "released") == 3);
        assertThat(gauge("wellkeeper.lock.held", "orders/*", "lock")).isZero();
    }

    @Test
    void declare_aGroup_hasItsMetersBeforeAnythingHappens_andTheseCount() throws Exception {
        metrics.declare("orders/1", LockListener.Mode.LOCK);

        for (String outcome : List.of("acquired", "timeout", "busy", "interrupted", "cancelled", "error")) {
            assertThat(declared("wellkeeper.lock.acquire", "outcome", outcome)
                            .timer()
                            .count())
                    .as(outcome)
                    .isZero();
        }
        for (String outcome : List.of("released", "lost")) {
            assertThat(declared("wellkeeper.lock.hold", "outcome", outcome)
                            .timer()
                            .count())
                    .as(outcome)
                    .isZero();
        }
        assertThat(declared("wellkeeper.lock.handover").counter().count()).isZero();
        assertThat(declared("wellkeeper.lock.waiting").gauge().value()).isZero();
        assertThat(declared("wellkeeper.lock.held").gauge().value()).isZero();
        int meters = registry.getMeters().size();

        client.lock("orders/2").acquire().close();

        awaitAcquire("acquired", 1);
        await().until(() -> timed("wellkeeper.lock.hold", "orders/*", "lock", "released") == 1);
        assertThat(registry.getMeters()).hasSize(meters);
    }

    private RequiredSearch declared(String name, String... tags) {
        return registry.get(name)
                .tags("lock.group", "orders/*", "mode", "lock", "app", "shop")
                .tags(tags);
    }

    @Test
    void declare_theGroupItself_isThatGroup() {
        metrics.declare("orders/*", LockListener.Mode.LOCK);

        assertThat(declared("wellkeeper.lock.hold", "outcome", "lost").timer().count())
                .isZero();
    }

    @Test
    void held_readsWritesAndPermits_areToldApart() throws Exception {
        LockHandle reading = client.readWriteLock("catalogue").readLock().acquire();
        LockHandle alsoReading = client.readWriteLock("catalogue").readLock().acquire();
        LockHandle writing = client.readWriteLock("prices").writeLock().acquire();
        Permits permits = client.semaphore("erp", 5).acquire(4);

        await().until(() -> gauge("wellkeeper.lock.held", "catalogue", "read") == 2);
        await().until(() -> gauge("wellkeeper.lock.held", "prices", "write") == 1);
        await().until(() -> gauge("wellkeeper.lock.held", "erp", "permits") == 4);
        permits.release(1);
        permits.release(2);
        await().until(() -> gauge("wellkeeper.lock.held", "erp", "permits") == 1);
        reading.close();
        alsoReading.close();
        writing.close();
        permits.close();
        for (String use : new String[] {"catalogue read", "prices write", "erp permits"}) {
            String[] parts = use.split(" ");
            await(use).until(() -> gauge("wellkeeper.lock.held", parts[0], parts[1]) == 0);
        }
    }

    @Test
    void waiting_callsThatEndInEveryWay_areCountedNoMore() throws Exception {
        LockHandle held = other.lock("orders/1").acquire();
        DistributedLock lock = client.lock("orders/1");

        assertThat(lock.tryAcquire()).isEmpty();
        awaitAcquire("busy", 1);

        assertThat(lock.tryAcquire(SHORT)).isEmpty();
        awaitAcquire("timeout", 1);

        CompletableFuture<LockHandle> cancelled = lock.acquireAsync();
        awaitWaiting(1);
        cancelled.cancel(false);
        awaitAcquire("cancelled", 1);

        Thread interrupted = new Thread(() -> {
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException expected) {
                // this is what the test is about
            }
        });
        interrupted.start();
        awaitWaiting(1);
        interrupted.interrupt();
        awaitAcquire("interrupted", 1);
        interrupted.join();

        CompletableFuture<LockHandle> granted = lock.acquireAsync();
        awaitWaiting(1);
        held.close();
        granted.get(10, TimeUnit.SECONDS).close();
        awaitAcquire("acquired", 1);
        awaitWaiting(0);

        LockHandle again = other.lock("orders/1").acquire();
        CompletableFuture<LockHandle> failed = lock.acquireAsync();
        awaitWaiting(1);
        client.close();
        awaitAcquire("error", 1);
        awaitWaiting(0);
        assertThat(failed).isCompletedExceptionally();
        again.close();
    }

    @Test
    void lost_isAnOutcomeOfTheHold() throws Exception {
        LockHandle held = client.lock("orders/1").acquire();
        await().until(() -> gauge("wellkeeper.lock.held", "orders/*", "lock") == 1);

        other.admin().breakLock("orders/1", "test");

        await().until(() -> timed("wellkeeper.lock.hold", "orders/*", "lock", "lost") == 1);
        assertThat(held.isHeld()).isFalse();
        assertThat(gauge("wellkeeper.lock.held", "orders/*", "lock")).isZero();
    }

    @Test
    void handOver_withinTheClient_isCounted() throws Exception {
        DistributedLock lock = client.lock("orders/1");
        LockHandle first = lock.acquire();
        CompletableFuture<LockHandle> second = lock.acquireAsync();

        first.close();
        second.get(10, TimeUnit.SECONDS).close();

        await().until(() -> {
            Counter counter = registry.find("wellkeeper.lock.handover")
                    .tags("lock.group", "orders/*", "mode", "lock", "app", "shop")
                    .counter();
            return counter != null && counter.count() == 1;
        });
    }

    @Test
    void trouble_isCountedAndTheSessionRunsOut() {
        InMemoryTicketStore itsStore = new InMemoryTicketStore(server);
        try (LockClient shortLived = client(itsStore, metrics, Duration.ofSeconds(1))) {
            metrics.watch(shortLived);
            TimeGauge remaining = registry.get("wellkeeper.session.remaining")
                    .tags("app", "shop")
                    .timeGauge();
            await().untilAsserted(() ->
                    assertThat(remaining.value(TimeUnit.MILLISECONDS)).isBetween(1.0, 1_000.0));

            itsStore.cut();

            await().until(() -> remaining.value(TimeUnit.SECONDS) == 0);
            await().until(() -> registry.find("wellkeeper.store.trouble").tags("app", "shop").counters().stream()
                    .anyMatch(counter -> counter.count() > 0));
        }
    }

    @Test
    void names_areNeverInMeters() throws Exception {
        client.lock("secret-customer/4711").acquire().close();
        assertThat(client.semaphore("secret-customer/4711/x", 2).acquire().count())
                .isEqualTo(1);
        await().until(() -> timed("wellkeeper.lock.acquire", "secret-customer/*/x", "permits", "acquired") == 1);

        assertThat(registry.getMeters())
                .flatExtracting(meter -> meter.getId().getTags())
                .extracting(Tag::getValue)
                .noneMatch(value -> value.contains("4711"));
    }

    @Test
    void registryThatThrows_costsNoLock() throws Exception {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("broken telemetry");
            }
        });

        client.lock("orders/1").acquire().close();
        DistributedLock lock = client.lock("orders/1");
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();

        assertThat(other.lock("orders/1").tryAcquire(Duration.ofSeconds(10))).isPresent();
        assertThat(registry.getMeters()).isEmpty();
    }
}
