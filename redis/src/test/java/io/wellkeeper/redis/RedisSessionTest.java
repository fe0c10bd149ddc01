package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of locks when a client, the connection or the server fails. */
@Tag("full")
class RedisSessionTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final RedisProcess server = RedisProcess.start();
    private final TcpProxy proxy = TcpProxy.of(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private LockClient client(String address) {
        return client(address, LEASE);
    }

    private LockClient client(String address, Duration lease) {
        return LockClient.over(
                RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off")),
                ClientOptions.builder().sessionTimeout(lease).build());
    }

    /** A thread of its own that has acquired the lock, and when. */
    private static CompletableFuture<Long> acquired(DistributedLock lock) {
        return CompletableFuture.supplyAsync(() -> {
            lock.lock();
            return System.nanoTime();
        });
    }

    @Test
    void holderIsGone_waiterIsInWhenItsLeaseEnds() throws Exception {
        try (LockClient holder = client(proxy.address());
                LockClient waiter = client(server.address())) {
            holder.lock("l").lock();
            CompletableFuture<Long> in = acquired(waiter.lock("l"));
            await().until(() -> Long.valueOf(2).equals(server.call("ZCARD", queue("l"))));
            long goneAt = System.nanoTime();
            proxy.refuse(true);
            proxy.cut();

            long after = in.get() - goneAt;

            assertThat(Duration.ofNanos(after)).isBetween(LEASE.dividedBy(2), LEASE.plusMillis(1_500));
            assertThat(holder.lock("l").isHeldByCurrentThread()).isFalse();
        }
    }

    @Test
    void messageIsLost_waiterIsInLongBeforeTheLeaseEnds() throws Exception {
        Duration lease = LEASE.multipliedBy(5);
        try (LockClient holder = client(server.address(), lease);
                LockClient waiter = client(server.address(), lease)) {
            holder.lock("l").lock();
            CompletableFuture<Long> in = acquired(waiter.lock("l"));
            await().until(() -> Long.valueOf(2).equals(server.call("ZCARD", queue("l"))));
            server.call("ZREMRANGEBYRANK", queue("l"), "0", "0"); // departs without a word
            long goneAt = System.nanoTime();

            assertThat(Duration.ofNanos(in.get() - goneAt)).isLessThan(lease.dividedBy(2));
        }
    }

    @Test
    void hashIsEvicted_retainedTicketIsGivenUpForOthers() throws Exception {
        LockOptions retained = LockOptions.builder()
                .retain(true)
                .handOverTime(Duration.ofMinutes(5)) // the machine may be slow
                .build();
        String hash = new Keys("wellkeeper", Keys.SINGLE, false).of("l").data("l");
        try (LockClient holder = client(server.address());
                LockClient other = client(server.address())) {
            holder.lock("l", retained).lock();
            holder.lock("l", retained).unlock();
            holder.admin().inspect("l"); // behind the question whether others wait
            assertThat(server.call("HEXISTS", hash, "a")).isEqualTo(1L);
            server.call("DEL", hash);

            assertThat(other.lock("l", retained).tryLock(30, TimeUnit.SECONDS)).isTrue();
            other.lock("l", retained).unlock();
        }
    }

    @Test
    void serverRestartsWithoutItsData_holderIsToldAndTokensGrow() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        try (LockClient client = client(server.address())) {
            DistributedLock lock = client.lock("l");
            lock.lock();
            long token = lock.fencingToken();
            lock.onLost(told::countDown);
            server.restart();

            assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
            lost(lock);
            lock.lock();
            assertThat(lock.fencingToken()).isGreaterThan(token);
            lock.unlock();
        }
    }

    @Test
    void serverIsFrozenForLongerThanTheLease_holderKnowsInTime() throws Exception {
        try (LockClient client = client(server.address())) {
            DistributedLock lock = client.lock("l");
            lock.lock();
            server.pause();
            await().pollInSameThread().until(() -> !lock.isHeldByCurrentThread());
            server.resume();

            await().pollInSameThread().atMost(Duration.ofSeconds(10)).until(() -> {
                lost(lock);
                return lock.tryLock();
            });
            lock.unlock();
        }
    }

    @Test
    void connectionIsABlackHole_anotherIsMadeInTime() throws Exception {
        try (LockClient client = client(proxy.address())) {
            DistributedLock lock = client.lock("l");
            lock.lock();
            int before = proxy.connections();
            proxy.swallow(true);
            await().pollInSameThread().until(() -> proxy.connections() != before || !lock.isHeldByCurrentThread());
            proxy.swallow(false);

            await().pollInSameThread().until(lock::isHeldByCurrentThread);
            lock.unlock();
        }
    }

    @Test
    void lockInterruptibly_interruptedAgainAndAgain_leavesNothing() throws Exception {
        try (LockClient holder = client(server.address());
                LockClient waiter = client(server.address())) {
            holder.lock("l").lock();
            DistributedLock lock = waiter.lock("l");
            AtomicInteger interrupted = new AtomicInteger();
            for (int i = 0; i < 300; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        lock.lockInterruptibly();
                        lock.unlock();
                    } catch (InterruptedException expected) {
                        interrupted.incrementAndGet();
                    }
                });
                thread.start();
                if (i % 2 == 0) {
                    await().until(() -> !Long.valueOf(1).equals(server.call("ZCARD", queue("l"))));
                }
                thread.interrupt();
                thread.join();
            }

            assertThat(interrupted).hasValue(300);
            await().until(() -> Long.valueOf(1).equals(server.call("ZCARD", queue("l"))));
            holder.lock("l").unlock();
            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("l"))));
        }
    }

    @Test
    void latch_isDeletedAndSetAgain_isKeptAsTheFirstTime() {
        String queue = "wellkeeper:latch/l";
        String data = new Keys("wellkeeper", Keys.SINGLE, false).of(queue).data(queue);
        try (LockClient client = client(server.address())) {
            DistributedLatch latch = client.latch("l");
            for (int i = 0; i < 2; i++) {
                assertThat(latch.trySetCount(1)).isTrue();
                assertThat(((Long) server.call("PTTL", data))).isEqualTo(-1);
                latch.delete();
                assertThat(((Long) server.call("PTTL", data))).isGreaterThan(0);
            }
        }
    }

    private static String queue(String lock) {
        return new Keys("wellkeeper", Keys.SINGLE, false).of(lock).queue(lock);
    }

    /** Netty logs an error for each such request. */
    @Test
    void close_serverIsAwayForLong_noConnectionIsAskedForWhenTheThreadsEnd() {
        AtomicBoolean ending = new AtomicBoolean();
        AtomicInteger late = new AtomicInteger();
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        ClientResources resources = ClientResources.builder()
                .eventLoopGroupProvider(new DefaultEventLoopGroupProvider(2) {
                    @Override
                    public Promise<Boolean> release(
                            EventExecutorGroup threads, long quiet, long timeout, TimeUnit unit) {
                        ending.set(true);
                        Promise<Boolean> released = ImmediateEventExecutor.INSTANCE.newPromise();
                        mayEnd.thenRun(() -> super.release(threads, quiet, timeout, unit)
                                .addListener(done -> released.setSuccess(true)));
                        return released;
                    }
                })
                .socketAddressResolver(new SocketAddressResolver() {
                    @Override
                    public SocketAddress resolve(RedisURI uri) {
                        if (ending.get()) {
                            late.incrementAndGet();
                        }
                        return super.resolve(uri);
                    }
                })
                .build();
        try {
            RedisTicketStore store = new RedisTicketStore(
                    RedisPlace.of(StoreUri.parse("redis://" + proxy.address() + "?restartGuard=off")), resources);
            Session session = Await.get(store.open(new SessionOptions("test", LEASE.multipliedBy(3)), new Nobody()));
            proxy.refuse(true);
            proxy.cut();

            store.close();

            await().until(() -> session.close().toCompletableFuture().isDone());
            assertThat(ending).isTrue(); // the session has tried for longer to tell of its end
            assertThat(late).hasValue(0);
        } finally {
            mayEnd.complete(null);
            resources.shutdown();
        }
    }

    private static void lost(DistributedLock lock) {
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException expected) {
            // it is lost, or was unlocked before
        }
    }
}
