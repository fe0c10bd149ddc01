package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Our locks in the layout of Redisson, beside Redisson itself. */
@ExtendWith(SharedServers.class)
abstract class RedissonSharing {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    final Servers servers;
    private final RedisProcess server; // that has the lock
    private final String uri;
    private final String name = "shared-" + UUID.randomUUID();
    private final ExecutorService another = Executors.newSingleThreadExecutor();
    private final RedissonClient redisson;

    /**
     * For one test.
     *
     * @param scheme of the store's URI
     */
    RedissonSharing(Servers servers, String scheme) {
        this.servers = servers;
        this.server = servers.master(SlotHash.getSlot(name));
        this.uri = scheme + servers.uri().substring(servers.uri().indexOf(':'));
        this.redisson = redisson(LONG);
    }

    /** Has Redisson connect to the servers. */
    abstract void point(Config config);

    @AfterEach
    void close() {
        another.shutdownNow();
        redisson.shutdown(0, 1, TimeUnit.SECONDS);
        server.call("DEL", name);
    }

    private RedissonClient redisson(Duration watchdog) {
        return redisson(config -> config.setLockWatchdogTimeout(watchdog.toMillis()));
    }

    private RedissonClient redisson(Consumer<Config> settings) {
        Config config = new Config();
        settings.accept(config);
        point(config);
        return Redisson.create(config);
    }

    private LeaseClient ours(Duration sessionTimeout) {
        return ours(sessionTimeout, "");
    }

    private LeaseClient ours(Duration sessionTimeout, String parameters) {
        return LeaseClient.connect(
                uri + parameters,
                ClientOptions.builder()
                        .sessionTimeout(sessionTimeout)
                        .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                        .build());
    }

    private boolean elsewhere(Callable<Boolean> task) throws Exception {
        return another.submit(task).get(60, TimeUnit.SECONDS);
    }

    @Test
    void redissonHolds_weAreKeptOutUntilItsLastUnlock() throws Exception {
        RLock theirs = redisson.getLock(name);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            theirs.lock();
            theirs.lock();
            assertThat(elsewhere(lock::tryLock)).isFalse();
            theirs.unlock();
            assertThat(elsewhere(lock::tryLock)).isFalse();

            theirs.unlock();

            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void weHold_redissonIsKeptOutUntilOurLastUnlock() throws Exception {
        RLock theirs = redisson.getLock(name);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            lock.lock();
            assertThat(theirs.isLocked()).isTrue();
            assertThat(theirs.isHeldByCurrentThread()).isFalse();
            assertThat(theirs.remainTimeToLive()).isBetween(20_000L, 30_000L);
            assertThat(theirs.tryLock()).isFalse();
            assertThat(redisson.getFairLock(name).tryLock()).isFalse();
            lock.unlock();
            assertThat(theirs.tryLock()).isFalse();

            lock.unlock();

            assertThat(theirs.tryLock()).isTrue();
            theirs.unlock();
        }
    }

    @Test
    void redissonUnlocks_hintsToUs() {
        RLock theirs = redisson.getLock(name);
        RedissonLeaseStore store = RedissonLeaseStore.of(StoreUri.parse(uri));
        AtomicInteger hints = new AtomicInteger();
        LeaseRequest request = new LeaseRequest(name, "me", LONG, "");
        theirs.lock();
        assertThat(get(store.tryAcquire(request))).isEmpty();
        Registration registration = store.onRelease(name, hints::incrementAndGet);
        assertThat(get(store.tryAcquire(request))).isEmpty();

        theirs.unlock();

        await().until(() -> hints.get() == 1);
        registration.close();
        theirs.lock();
        get(store.tryAcquire(request));
        theirs.unlock();
        get(store.release(get(store.tryAcquire(request)).orElseThrow()));
        assertThat(hints).hasValue(1);
        store.close();
    }

    @Test
    void redissonUnlocks_weWhoWaitGetIn() throws Exception {
        RLock theirs = redisson.getLock(name);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            theirs.lock();
            Future<?> waiting = another.submit(lock::lock);
            await().until(() -> subscribers() == 1);

            theirs.unlock();

            waiting.get(60, TimeUnit.SECONDS);
            assertThat(theirs.tryLock()).isFalse();
            another.submit(lock::unlock).get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void weUnlock_redissonThatWaitsGetsInLongBeforeTheLeaseEnds() throws Exception {
        RLock theirs = redisson.getLock(name);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            Future<Boolean> waiting = another.submit(() -> theirs.tryLock(20, TimeUnit.SECONDS));
            await().until(() -> subscribers() == 1);

            lock.unlock();

            assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(lock.tryLock()).isFalse();
            another.submit(theirs::unlock).get(60, TimeUnit.SECONDS);
        }
    }

    private long subscribers() {
        Object answer =
                server.call("PUBSUB", servers.isCluster() ? "SHARDNUMSUB" : "NUMSUB", RedissonLeaseStore.channel(name));
        return (Long) ((List<?>) answer).get(1);
    }

    @Test
    void redissonsLeaseExpires_weGetIn() throws Exception {
        redisson.getLock(name).lock(1, TimeUnit.SECONDS);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock()).isFalse();

            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();

            assertThatThrownBy(redisson.getLock(name)::unlock).isInstanceOf(IllegalMonitorStateException.class);
            lock.checkHeld();
            lock.unlock();
        }
    }

    @Test
    void ourLeaseWithoutRenewalExpires_redissonGetsIn() throws Exception {
        RLock theirs = redisson.getLock(name);
        try (LeaseClient client = ours(LONG)) {
            LeaseHandle lock = client.tryAcquireLease(name, SHORT).orElseThrow();
            assertThat(theirs.tryLock()).isFalse();

            assertThat(theirs.tryLock(10, TimeUnit.SECONDS)).isTrue();

            assertThat(lock.isHeld()).isFalse();
            assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
            assertThat(theirs.isHeldByCurrentThread()).isTrue();
            theirs.unlock();
        }
    }

    @Test
    void watchdogs_holdLongerThanTheLease_keepTheOtherOut() throws Exception {
        RedissonClient brief = redisson(SHORT);
        RLock theirs = brief.getLock(name);
        try (LeaseClient client = ours(SHORT)) {
            DistributedLock lock = client.lock(name);
            theirs.lock();
            await().during(SHORT.multipliedBy(2)).until(() -> !elsewhere(lock::tryLock));
            theirs.unlock();
            lock.lock();
            await().during(SHORT.multipliedBy(2)).until(() -> !elsewhere(theirs::tryLock));
            lock.checkHeld();
            lock.unlock();
            assertThat(theirs.tryLock()).isTrue();
            theirs.unlock();
        } finally {
            brief.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void redissonUnlocksByForce_ourHolderIsTold() throws Exception {
        try (LeaseClient client = ours(SHORT)) {
            DistributedLock lock = client.lock(name);
            CompletableFuture<String> told = new CompletableFuture<>();
            lock.lock();
            lock.onLost(() -> told.complete("told"));

            assertThat(redisson.getLock(name).forceUnlock()).isTrue();

            assertThat(told.get(60, TimeUnit.SECONDS)).isEqualTo("told");
            assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        }
    }

    private static final String QUEUE = "redisson_lock_queue:{";

    private long queued() {
        Object answer = server.call("LLEN", QUEUE + name + "}");
        return answer instanceof Long length ? length : -1;
    }

    /** Somebody who waits for the lock by an RFairLock, and has it when the future says so; it is released then. */
    private Future<?> fairWaiter(ExecutorService thread) {
        return fairWaiter(redisson, thread);
    }

    private Future<?> fairWaiter(RedissonClient of, ExecutorService thread) {
        RLock fair = of.getFairLock(name);
        return thread.submit(() -> {
            fair.lock();
            fair.unlock();
        });
    }

    @Test
    void fairLockWaits_weStandBehindItInItsQueue() throws Exception {
        RLock theirs = redisson.getLock(name);
        List<String> order = new CopyOnWriteArrayList<>();
        ExecutorService fairThread = Executors.newSingleThreadExecutor();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            theirs.lock();
            Future<?> fair = fairThread.submit(() -> {
                RLock one = redisson.getFairLock(name);
                one.lock();
                order.add("fair");
                one.unlock();
            });
            await().until(() -> queued() == 1);
            Future<?> waiting = another.submit(() -> {
                lock.lock();
                order.add("ours");
                lock.unlock();
            });
            await().until(() -> queued() == 2);

            server.call("DEL", name); // tells nobody, so the first in the queue is still asleep
            assertThat(lock.tryLock()).isFalse();
            server.call(servers.isCluster() ? "SPUBLISH" : "PUBLISH", fairChannel(), "0");

            fair.get(60, TimeUnit.SECONDS);
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(order).containsExactly("fair", "ours");
            assertThat(queued()).isZero();
        } finally {
            fairThread.shutdownNow();
        }
    }

    /** Of the first in the queue. */
    private String fairChannel() {
        return RedissonLeaseStore.channel(name) + ":" + server.call("LINDEX", QUEUE + name + "}", "0");
    }

    @Test
    void weUnlock_fairLockThatWaitsGetsInLongBeforeTheLeaseEnds() throws Exception {
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            Future<?> fair = fairWaiter(another);
            await().until(() -> queued() == 1);

            lock.unlock();

            fair.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void weGiveUp_queueOfTheFairLockGoesOnWithoutUs() throws Exception {
        ExecutorService fairThread = Executors.newFixedThreadPool(2);
        try (LeaseClient client = ours(LONG);
                LeaseClient holder = ours(LONG)) {
            holder.lock(name).lock();
            Future<?> first = fairWaiter(fairThread);
            await().until(() -> queued() == 1);
            Thread waiting = new Thread(() -> {
                try {
                    client.lock(name).lockInterruptibly();
                } catch (InterruptedException expected) {
                    Thread.currentThread().interrupt();
                }
            });
            waiting.start();
            await().until(() -> queued() == 2);
            Future<?> last = fairWaiter(fairThread);
            await().until(() -> queued() == 3);

            waiting.interrupt();

            await().until(() -> queued() == 2);
            holder.lock(name).unlock();
            first.get(60, TimeUnit.SECONDS);
            last.get(60, TimeUnit.SECONDS);
            waiting.join();
            assertThat(queued()).isZero();
        } finally {
            fairThread.shutdownNow();
        }
    }

    /** Whoever gets in takes it off the time for which each behind him is waited for, also if one of those has died. */
    @Test
    void fairLocksAreWaitedForForShorterThanByDefault_weAreWaitedForLikewise() throws Exception {
        RedissonClient hasty = redisson(config -> config.setFairLockWaitTimeout(5_000));
        ExecutorService fairThread = Executors.newSingleThreadExecutor();
        try (LeaseClient client = ours(LONG, "?fairLockWaitTimeout=5s");
                LeaseClient holder = ours(LONG)) {
            holder.lock(name).lock();
            Future<?> fair = fairWaiter(hasty, fairThread);
            await().until(() -> queued() == 1);
            Future<?> waiting = another.submit(() -> {
                client.lock(name).lock();
                client.lock(name).unlock();
            });
            await().until(() -> queued() == 2);

            Object last = server.call("LINDEX", QUEUE + name + "}", "-1");
            String ends = (String) server.call("ZSCORE", "redisson_lock_timeout:{" + name + "}", (String) last);
            assertThat(Double.parseDouble(ends)).isLessThan(System.currentTimeMillis() + 60_000);

            holder.lock(name).unlock();
            fair.get(60, TimeUnit.SECONDS);
            waiting.get(60, TimeUnit.SECONDS);
        } finally {
            fairThread.shutdownNow();
            hasty.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void oneOfUsDiedInTheQueue_othersWaitNoLongerThanItMayBeSilent() throws Exception {
        try (LeaseClient client = ours(LONG)) {
            server.call("RPUSH", QUEUE + name + "}", "dead:1");
            long ends = System.currentTimeMillis() + 2_000;
            server.call("ZADD", "redisson_lock_timeout:{" + name + "}", Long.toString(ends), "dead:1");
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock()).isFalse();

            assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();

            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(ends);
            lock.unlock();
            assertThat(queued()).isZero();
        }
    }

    /** Neither of them leaves the other nothing but a turn now and then. */
    @Test
    void fairLocksBesideUs_getTheirTurns() throws Exception {
        ExecutorService fairThreads = Executors.newFixedThreadPool(2);
        AtomicBoolean over = new AtomicBoolean();
        try (LeaseClient client = ours(LONG)) {
            Future<?> busy = another.submit(() -> {
                while (!over.get()) {
                    client.lock(name).lock();
                    client.lock(name).unlock();
                }
            });
            List<Future<?>> fair = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                fair.add(fairThreads.submit(() -> {
                    for (int entry = 0; entry < 50; entry++) {
                        RLock one = redisson.getFairLock(name);
                        one.lock();
                        one.unlock();
                    }
                }));
            }
            for (Future<?> one : fair) {
                one.get(60, TimeUnit.SECONDS);
            }
            over.set(true);
            busy.get(60, TimeUnit.SECONDS);
        } finally {
            over.set(true);
            fairThreads.shutdownNow();
        }
    }

    @Test
    void bothInTurns_neverTwoAtOnce() throws Exception {
        RLock theirs = redisson.getLock(name);
        AtomicInteger inside = new AtomicInteger();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            Future<?> there = another.submit(() -> {
                for (int i = 0; i < 100; i++) {
                    theirs.lock();
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    inside.decrementAndGet();
                    theirs.unlock();
                }
            });
            for (int i = 0; i < 100; i++) {
                lock.lock();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                inside.decrementAndGet();
                lock.unlock();
            }
            there.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void channel_nameWithBraces_isRedissonsOwn() {
        assertThat(RedissonLeaseStore.channel("a")).isEqualTo("redisson_lock__channel:{a}");
        assertThat(RedissonLeaseStore.channel("{a}b")).isEqualTo("redisson_lock__channel:{a}b");
    }
}
