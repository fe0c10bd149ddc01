package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(SharedServers.class)
class RedisLeaseStoreTest {

    private static final Duration TTL = Duration.ofSeconds(20);

    private final RedisProcess server;
    private final TcpProxy proxy;
    private final RedisLeaseStore store;
    private final String name = "lease-" + UUID.randomUUID();

    RedisLeaseStoreTest(SingleServer servers) {
        this.server = servers.masters().get(0);
        this.proxy = TcpProxy.of(server.port());
        this.store = open(proxy.address());
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        server.call("DEL", name);
    }

    private static RedisLeaseStore open(String address) {
        return RedisLeaseStore.of(StoreUri.parse("redis-simple://" + address));
    }

    private CompletionStage<Optional<Lease>> ask(String owner, Duration ttl) {
        return store.tryAcquire(new LeaseRequest(name, owner, ttl, "somebody"));
    }

    private Lease acquire(String owner) {
        return get(ask(owner, TTL)).orElseThrow();
    }

    @Test
    void tryAcquire_free_keyIsTheNameAndItsValueTheOwner() {
        Lease lease = acquire("me");

        assertThat(server.call("GET", name)).isEqualTo("me");
        assertThat((Long) server.call("PTTL", name)).isBetween(15_000L, 20_000L);
        assertThat(lease.validity()).isEqualTo(Duration.ofMillis(19_798));
        assertThat(server.call("HGET", RedisLeaseStore.beside(name), "m")).isEqualTo("somebody");
        get(store.release(lease));
        assertThat(server.call("GET", name)).isNull();
        assertThat(server.call("HGET", RedisLeaseStore.beside(name), "m")).isNull();
    }

    @Test
    void tryAcquire_somebodyElseSetsTheSameKey_eachKeepsTheOtherOut() {
        Lease mine = acquire("me");
        assertThat(server.call("SET", name, "stranger", "NX", "PX", "20000")).isNull();
        get(store.release(mine));
        assertThat(server.call("SET", name, "stranger", "NX", "PX", "20000")).isEqualTo("OK");

        assertThat(get(ask("me", TTL))).isEmpty();
        assertThat(get(store.renew(mine, TTL))).isFalse();
        assertThat(get(store.release(mine))).isFalse();

        server.call("DEL", name);
        assertThat(get(ask("me", TTL))).isPresent();
    }

    @Test
    void tryAcquire_keyIsNoString_isSomebodyElses() {
        server.call("HSET", name, "field", "1");

        assertThat(get(ask("me", TTL))).isEmpty();
        assertThat(get(store.release(new Lease(name, "me", OptionalLong.empty(), TTL))))
                .isFalse();
        assertThat(server.call("HGET", name, "field")).isEqualTo("1");
    }

    /** Each of them would have been given up, and all with it, if it were waited for no longer than for a server that is silent. */
    @Test
    void tryAcquire_manyAtOnceOfAServerThatIsSlow_areAllAnswered() {
        Duration slow = LeaseLink.PATIENCE.dividedBy(4);
        try (FaultProxy slowly = new FaultProxy(server.port());
                RedisLeaseStore slowStore = open(slowly.address())) {
            slowly.rule(words -> {
                long since = System.nanoTime();
                await().until(() -> !words.get(0).equals("EVALSHA") || System.nanoTime() - since > slow.toNanos());
                return FaultProxy.FORWARD;
            });
            List<CompletionStage<Optional<Lease>>> asked = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                asked.add(slowStore.tryAcquire(new LeaseRequest(name + i, "me", TTL, "")));
            }

            assertThat(asked).allSatisfy(one -> assertThat(get(one)).isPresent());
        }
    }

    @Test
    void tryAcquire_repeated_ttlCountsAnew() {
        Lease first = get(ask("me", Duration.ofSeconds(5))).orElseThrow();

        Lease again = acquire("me");

        assertThat(again.token()).isEqualTo(first.token());
        assertThat((Long) server.call("PTTL", name)).isGreaterThan(15_000L);
    }

    @Test
    void tryAcquire_serverHasLostItsData_tokenGrows() {
        Lease first = acquire("me");
        server.call("DEL", name, RedisLeaseStore.beside(name));

        assertThat(acquire("other").token().orElseThrow())
                .isGreaterThan(first.token().orElseThrow());
    }

    @Test
    void tryAcquire_clockWasSetBack_tokenGrows() {
        get(store.release(acquire("me")));
        server.call("HSET", RedisLeaseStore.beside(name), "t", "8000000000000000"); // as if drawn in the year 2223

        assertThat(acquire("other").token()).hasValue(8_000_000_000_000_001L);
    }

    @Test
    void tryAcquire_tokensHaveRunOut_noneIsGivenTwice() {
        get(store.release(acquire("me")));
        server.call("HSET", RedisLeaseStore.beside(name), "t", "9007199254740991");

        assertThat(Await.failure(ask("other", TTL)))
                .isInstanceOf(StoreRefusalException.class)
                .hasMessageContaining("delete " + RedisLeaseStore.beside(name));
        assertThat(server.call("EXISTS", name)).isEqualTo(0L);
    }

    @Test
    void run_serverHasForgottenTheScripts_sendsThemAtLength() {
        Lease lease = acquire("me");
        server.call("SCRIPT", "FLUSH");

        assertThat(get(store.renew(lease, TTL))).isTrue();
        server.call("SCRIPT", "FLUSH");
        assertThat(get(store.release(lease))).isTrue();
        server.call("SCRIPT", "FLUSH");
        assertThat(get(ask("other", TTL))).isPresent();
    }

    @Test
    void tryAcquire_replyIsLost_failsAndGivesTheSameLeaseWhenRepeated() {
        get(store.release(acquire("warm")));
        proxy.swallowReplies(true);
        CompletionStage<Optional<Lease>> lost = ask("me", TTL);
        await().until(() -> "me".equals(server.call("GET", name)));
        proxy.cut();
        assertThat(Await.failure(lost)).hasMessageContaining("connection").hasMessageContaining("was lost");
        proxy.swallowReplies(false);

        assertThat(get(ask("me", TTL))).isPresent();
    }

    @Test
    void request_connectionIsSilent_failsAndTheNextGoesOverAnother() {
        get(store.release(acquire("warm")));
        proxy.swallow(true);

        Await.failure(ask("me", TTL));
        proxy.cut();
        proxy.swallow(false);

        await().until(() -> get(ask("me", TTL)).isPresent());
    }

    @Test
    void onRelease_somebodyWasRefused_hintsUntilClosed() {
        Lease lease = acquire("me");
        RedisLeaseStore other = open(server.address());
        get(other.tryAcquire(new LeaseRequest(name, "other", TTL, "")));
        AtomicInteger hinted = new AtomicInteger();
        Registration registration = other.onRelease(name, hinted::incrementAndGet);
        get(other.tryAcquire(new LeaseRequest(name, "other", TTL, "")));
        assertThat(hinted).hasValue(0);

        get(store.release(lease));
        await().until(() -> hinted.get() == 1);

        registration.close();
        Lease again = acquire("me");
        get(other.tryAcquire(new LeaseRequest(name, "other", TTL, "")));
        get(store.release(again));
        get(other.tryAcquire(new LeaseRequest(name, "other", TTL, "")));
        assertThat(hinted).hasValue(1);
        other.close();
    }

    @Test
    void onRelease_connectionWasLost_listensAgainAndLooks() {
        AtomicInteger hinted = new AtomicInteger();
        acquire("me");
        store.onRelease(name, hinted::incrementAndGet);
        get(ask("other", TTL));
        proxy.cut();

        await().until(() -> get(ask("other", TTL).exceptionally(failed -> null)) != null);
        await().until(() -> hinted.get() > 0);

        get(ask("other", TTL));
        int before = hinted.get();
        get(store.release(new Lease(name, "me", OptionalLong.empty(), TTL)));
        await().until(() -> hinted.get() > before);
    }

    @Test
    void lock_interruptedAgainAndAgain_leavesNothing() {
        try (LeaseClient client = LeaseClient.over(store)) {
            DistributedLock lock = client.lock(name);
            for (int i = 0; i < 300; i++) {
                Thread caller = new Thread(() -> {
                    try {
                        lock.lockInterruptibly();
                        lock.unlock();
                    } catch (InterruptedException expected) {
                        assertThat(lock.isHeldByCurrentThread()).isFalse();
                    }
                });
                caller.start();
                caller.interrupt();
            }

            await().until(() -> server.call("GET", name) == null);
            lock.lock();
            lock.unlock();
        }
        await().until(() -> server.call("GET", name) == null);
    }

    @Test
    void of_everything_isUnderstood() {
        RedisLeaseStore plain =
                RedisLeaseStore.of(StoreUri.parse("rediss-simple://app:hidden@[::1]:7000/3?prefix=locks:&client=c"));

        assertThat(plain.address()).isEqualTo("[::1]:7000/3");
        plain.close();
        assertThat(RedisServer.of(StoreUri.parse("rediss-simple://host")).tls()).isTrue();
        assertThat(RedisServer.of(StoreUri.parse("redis-simple://host")).tls()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-simple://:hidden@",
                "redis-simple://:hidden@a:1,b:2",
                "redis-simple://:hidden@host/name",
                "redis-simple://:hidden@host?no=such"
            })
    void of_wrong_isRefusedWithoutTheSecret(String uri) {
        assertThatThrownBy(() -> RedisLeaseStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void tryAcquire_nobodyThere_saysWhere() {
        RedisLeaseStore lost = open("127.0.0.1:1");

        assertThat(Await.failure(lost.tryAcquire(new LeaseRequest(name, "me", TTL, ""))))
                .hasMessageContaining("127.0.0.1:1");
        lost.close();
        assertThat(Await.failure(lost.tryAcquire(new LeaseRequest(name, "me", TTL, ""))))
                .hasMessageContaining("closed");
    }

    /** So whoever asks for very many leases at once keeps those that he has, and keeps none from others. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void renewOrRelease_manyLeasesWereAskedForBefore_waitsForFewOfThem(boolean renews) {
        try (FaultProxy recorder = new FaultProxy(server.port());
                RedisLeaseStore busy = open(recorder.address())) {
            Lease lease =
                    get(busy.tryAcquire(new LeaseRequest(name, "me", TTL, ""))).orElseThrow();
            CompletableFuture<Void> allAreAsked = new CompletableFuture<>();
            List<String> scripts = new CopyOnWriteArrayList<>();
            recorder.rule(words -> {
                get(allAreAsked);
                scripts.add(words.get(1));
                return FaultProxy.FORWARD;
            });
            List<CompletionStage<Optional<Lease>>> asked = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                asked.add(busy.tryAcquire(new LeaseRequest(name + i, "me", TTL, "")));
            }
            CompletionStage<Boolean> done = renews ? busy.renew(lease, TTL) : busy.release(lease);
            allAreAsked.complete(null);

            assertThat(get(done)).isTrue();
            List<Lease> all = asked.stream().map(one -> get(one).orElseThrow()).toList();
            LeaseScript script = renews ? LeaseScript.LEASE_RENEW : LeaseScript.LEASE_RELEASE;
            assertThat(scripts.indexOf(script.digest())).isLessThan(all.size() / 2);
            all.forEach(one -> get(busy.release(one)));
        }
    }
}
