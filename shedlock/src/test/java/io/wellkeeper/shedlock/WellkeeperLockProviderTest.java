package io.wellkeeper.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract that ShedLock's own tests hold its providers to, and what is particular to this one. */
class WellkeeperLockProviderTest {

    private static final String NAME = "report";
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(1);

    private final InMemoryServer server = new InMemoryServer();
    private final InMemoryTicketStore store = new InMemoryTicketStore(server);
    private final LockClient client = LockClient.over(
            store, ClientOptions.builder().sessionTimeout(Duration.ofSeconds(4)).build());
    private final LockClient otherClient = LockClient.over(new InMemoryTicketStore(server));
    private final WellkeeperLockProvider provider = new WellkeeperLockProvider(client, "shedlock/");
    private final WellkeeperLockProvider other = new WellkeeperLockProvider(otherClient, "shedlock/");

    @AfterEach
    void close() {
        client.close();
        otherClient.close();
        server.close();
    }

    private static LockConfiguration config(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
    }

    private static LockConfiguration config() {
        return config(NAME, LONG, Duration.ZERO);
    }

    private SimpleLock lock(Duration atMost, Duration atLeast) {
        return provider.lock(config(NAME, atMost, atLeast)).orElseThrow();
    }

    private boolean isLocked() {
        Optional<SimpleLock> got = other.lock(config());
        got.ifPresent(SimpleLock::unlock);
        return got.isEmpty();
    }

    private void awaitUnlocked() {
        await().until(() -> !isLocked());
    }

    @Test
    void lock_free_isLockedUntilItIsUnlocked() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        assertThat(isLocked()).isTrue();

        lock.unlock();

        awaitUnlocked();
    }

    @Test
    void lock_heldBySameThread_isRefused() {
        SimpleLock lock = lock(LONG, Duration.ZERO);

        assertThat(provider.lock(config())).isEmpty();
        assertThat(other.lock(config())).isEmpty();
        lock.unlock();
    }

    @Test
    void lock_twoNames_areIndependent() {
        SimpleLock one = lock(LONG, Duration.ZERO);
        SimpleLock two = provider.lock(config("name2", LONG, Duration.ZERO)).orElseThrow();

        one.unlock();
        two.unlock();
    }

    @Test
    void lock_twiceInARow_isGiven() {
        lock(LONG, Duration.ZERO).unlock();
        lock(LONG, Duration.ZERO).unlock();
    }

    @Test
    void lock_rightAfterUnlock_isGivenEachTime() {
        for (int i = 0; i < 10; i++) {
            SimpleLock lock = lock(LONG, Duration.ZERO);
            assertThat(provider.lock(config())).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void lockAtMostFor_holderLives_endsTheLock() {
        SimpleLock lock = lock(SHORT, Duration.ZERO);

        awaitUnlocked();

        SimpleLock next = other.lock(config()).orElseThrow();
        lock.unlock();
        assertThat(provider.lock(config())).as("the next one's").isEmpty();
        next.unlock();
    }

    @Test
    void lockAtMostFor_isCountedFromTheConfiguration() {
        LockConfiguration old = new LockConfiguration(ClockProvider.now().minus(LONG), NAME, LONG, Duration.ZERO);

        assertThat(provider.lock(old)).isEmpty();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockAtLeastFor_unlockedBefore_isLockedUntilThen() {
        LockConfiguration config = config(NAME, LONG, SHORT);
        provider.lock(config).orElseThrow().unlock();

        awaitUnlocked();

        assertThat(ClockProvider.now()).isAfterOrEqualTo(config.getLockAtLeastUntil());
    }

    /** As by jobs that do their work in it, and hang. */
    @Test
    void lockAtMostFor_andLockAtLeastFor_whenTheCommonPoolIsBusy_endTheLock() {
        CountDownLatch end = new CountDownLatch(1);
        Runnable hangs = () -> {
            try {
                end.await();
            } catch (InterruptedException never) {
                throw new AssertionError(never);
            }
        };
        for (int i = 0; i < ForkJoinPool.commonPool().getParallelism(); i++) {
            ForkJoinPool.commonPool().execute(hangs);
        }
        try {
            lock(SHORT, Duration.ZERO);
            awaitUnlocked();
            lock(LONG, SHORT).unlock();
            awaitUnlocked();
        } finally {
            end.countDown();
        }
    }

    @Test
    void lockAtLeastFor_clientIsClosed_isKeptNoLonger() {
        lock(LONG, LONG).unlock();
        assertThat(isLocked()).isTrue();

        client.close();

        awaitUnlocked();
    }

    @Test
    void lock_manyThreads_neverTwoInside() throws Exception {
        fuzz(Duration.ZERO);
    }

    @Test
    void lock_manyThreadsAndAtLeast_neverTwoInside() throws Exception {
        fuzz(Duration.ofMillis(5));
    }

    /** Threads of two processes add to numbers that nothing but the lock protects. */
    private void fuzz(Duration atLeast) throws Exception {
        int[] counter = new int[1];
        int rounds = 10;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            WellkeeperLockProvider own = i % 2 == 0 ? provider : other;
            all.add(threads.submit(() -> {
                for (int done = 0; done < rounds; ) {
                    Optional<SimpleLock> lock = own.lock(config(NAME, LONG, atLeast));
                    if (lock.isPresent()) {
                        int read = counter[0];
                        Thread.yield();
                        counter[0] = read + 1;
                        done++;
                        lock.get().unlock();
                    } else {
                        LockSupport.parkNanos(BETWEEN_TRIES.toNanos());
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        assertThat(counter[0]).isEqualTo(8 * rounds);
    }

    @Test
    void extend_held_outlivesTheFirstTime() {
        Instant end = ClockProvider.now().plus(SHORT);
        SimpleLock longer =
                lock(SHORT, Duration.ZERO).extend(LONG, Duration.ZERO).orElseThrow();

        await().until(() -> ClockProvider.now().isAfter(end.plus(SHORT)));
        assertThat(isLocked()).isTrue();

        longer.unlock();
        awaitUnlocked();
    }

    @Test
    void extend_toLess_endsEarlier() {
        lock(LONG, Duration.ZERO).extend(SHORT, Duration.ZERO);

        awaitUnlocked();
    }

    @Test
    void extend_unlocked_isRefused() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        lock.unlock();

        assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
    }

    @Test
    void extend_expired_comesToNothing() {
        SimpleLock lock = lock(SHORT, Duration.ZERO);
        awaitUnlocked();

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void extend_lost_comesToNothing() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        otherClient.admin().breakLock("shedlock/" + NAME, "test");
        await().untilAsserted(() ->
                assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> provider.fencingToken(NAME)));

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void extend_atLeast_isKept() {
        SimpleLock longer = lock(LONG, Duration.ZERO).extend(LONG, LONG).orElseThrow();

        longer.unlock();

        assertThat(isLocked()).isTrue();
    }

    @Test
    void extend_twice_isRefused() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        assertThat(lock.extend(LONG, Duration.ZERO)).isPresent();

        assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
    }

    @Test
    void unlock_afterExtend_isRefused() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        assertThat(lock.extend(LONG, Duration.ZERO)).isPresent();

        assertThatIllegalStateException().isThrownBy(lock::unlock);
        assertThat(isLocked()).isTrue();
    }

    @Test
    void processDies_lockIsFreeAfterTheSession_notAfterAtMost() {
        lock(LONG, Duration.ZERO);

        store.pause();

        awaitUnlocked();
        store.resume();
    }

    @Test
    void unlock_lost_releasesNothingOfAnybodyElses() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        otherClient.admin().breakLock("shedlock/" + NAME, "test");
        SimpleLock next =
                await().until(() -> other.lock(config()), Optional::isPresent).orElseThrow();

        lock.unlock();

        assertThat(provider.lock(config())).isEmpty();
        next.unlock();
    }

    @Test
    void fencingToken_growsAndEndsWithTheLock() {
        SimpleLock first = lock(LONG, Duration.ZERO);
        long token = provider.fencingToken(NAME);
        first.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> provider.fencingToken(NAME));

        SimpleLock second = lock(LONG, Duration.ZERO);
        assertThat(provider.fencingToken(NAME)).isGreaterThan(token);
        second.unlock();
    }

    @Test
    void fencingToken_ofAJobThatHasOutlivedItsLock_isNotTheNextOnes() {
        SimpleLock late = lock(SHORT, Duration.ZERO);
        SimpleLock next = CompletableFuture.supplyAsync(
                        () -> await().until(() -> provider.lock(config()), Optional::isPresent))
                .join()
                .orElseThrow();

        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> provider.fencingToken(NAME));

        late.unlock();
        next.unlock();
    }

    @Test
    void provider_overLeases_locksToo() {
        try (LeaseClient leases = LeaseClient.over(new InMemoryLeaseStore(server))) {
            WellkeeperLockProvider simple = new WellkeeperLockProvider(leases);
            SimpleLock lock = simple.lock(config()).orElseThrow();

            assertThat(simple.lock(config())).isEmpty();

            lock.unlock();
            SimpleLock again = await().until(() -> simple.lock(config()), Optional::isPresent)
                    .orElseThrow();
            again.unlock();
        }
    }
}
