package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockStoreException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of leases when nodes are killed, frozen, restarted, slow, or cut off from some. */
@Tag("full")
class RedlockLeaseStoreTest {

    private static final Duration TTL = Duration.ofSeconds(20);
    private static final String TRUSTING = "?restartDelay=0s&nodeTimeout=2s";

    private final RedlockServers servers = new RedlockServers();
    private final List<RedlockLeaseStore> stores = new ArrayList<>();
    private final List<TcpProxy> proxies = new ArrayList<>();

    @AfterEach
    void close() {
        stores.forEach(RedlockLeaseStore::close);
        proxies.forEach(TcpProxy::close);
        servers.close();
    }

    private static String hosts(List<String> addresses) {
        return "redlock://" + String.join(",", addresses);
    }

    private RedlockLeaseStore open(String uri) {
        RedlockLeaseStore store = RedlockLeaseStore.of(StoreUri.parse(uri));
        stores.add(store);
        return store;
    }

    /** A store with a proxy in front of each node; they are the last of all proxies. */
    private RedlockLeaseStore openBehindProxies() {
        List<TcpProxy> own =
                servers.all().stream().map(server -> TcpProxy.of(server.port())).toList();
        proxies.addAll(own);
        return open(hosts(own.stream().map(TcpProxy::address).toList()) + TRUSTING);
    }

    private static CompletionStage<Optional<Lease>> ask(RedlockLeaseStore store, String owner, Duration ttl) {
        return store.tryAcquire(new LeaseRequest("lock", owner, ttl, ""));
    }

    private static Lease acquire(RedlockLeaseStore store, String owner) {
        return get(ask(store, owner, TTL)).orElseThrow();
    }

    private RedisProcess server(int number) {
        return servers.all().get(number);
    }

    private static boolean hasKey(RedisProcess server) {
        return Long.valueOf(1).equals(server.call("EXISTS", "lock"));
    }

    private void isolate(TcpProxy proxy) {
        proxy.refuse(true);
        proxy.cut();
    }

    @Test
    void tryAcquire_twoOfFiveAreDown_works() {
        RedlockLeaseStore store = open(servers.uri() + TRUSTING);
        RedlockLeaseStore other = open(servers.uri() + TRUSTING);
        get(store.release(acquire(store, "warm")));
        server(0).kill();
        server(3).kill();

        Lease lease = acquire(store, "me");

        assertThat(lease.token()).isEmpty();
        assertThat(get(ask(other, "other", TTL))).isEmpty();
        assertThat(get(store.renew(lease, TTL))).isTrue();
        assertThat(get(store.release(lease))).isTrue();
        assertThat(get(store.release(lease))).isFalse();
        assertThat(get(ask(other, "other", TTL))).isPresent();
    }

    /** What waits for its turn has not been asked yet. */
    @Test
    void tryAcquire_moreAtOnceThanNodesAnswerInTime_areNotTakenForSlow() {
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=0s&nodeTimeout=500ms");
        get(store.release(acquire(store, "warm")));

        assertThat(askForMany(store)).allSatisfy(one -> assertThat(get(one)).isPresent());
    }

    private static List<CompletionStage<Optional<Lease>>> askForMany(RedlockLeaseStore store) {
        List<CompletionStage<Optional<Lease>>> asked = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            asked.add(store.tryAcquire(new LeaseRequest("lock" + i, "me", TTL, "")));
        }
        return asked;
    }

    /** Otherwise it would be asked for again and again, and be in the way of others. */
    @Test
    void release_behindMoreThanNodesAnswerInTime_isAnswered() {
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=0s&nodeTimeout=500ms");
        Lease lease = acquire(store, "me");
        askForMany(store);

        assertThat(get(store.release(lease))).isTrue();
    }

    @Test
    void tryAcquire_threeOfFiveAreDown_failsSoonAndSaysWhy() {
        RedlockLeaseStore store = open(servers.uri());
        servers.all().subList(0, 3).forEach(RedisProcess::kill);
        RedlockLeaseStore trusting = open(servers.uri() + TRUSTING);

        long start = System.nanoTime();
        assertThat(Await.failure(ask(trusting, "me", TTL)))
                .hasMessageContaining("2 of 5 nodes answered")
                .hasMessageContaining(server(0).address());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        assertThat(hasKey(server(3)) || hasKey(server(4))).isFalse();
        assertThat(Await.failure(ask(store, "me", TTL))).hasMessageContaining("kept out");
    }

    @Test
    void tryLock_threeOfFiveAreDown_endsAtItsDeadline() throws Exception {
        servers.all().subList(0, 3).forEach(RedisProcess::kill);
        try (LeaseClient client = LeaseClient.connect(
                servers.uri() + TRUSTING,
                ClientOptions.builder()
                        .storeTimeout(Duration.ofSeconds(1))
                        .closeTimeout(Duration.ZERO)
                        .build())) {
            long start = System.nanoTime();

            assertThat(catchThrowable(() -> client.lock("lock").tryLock(1, TimeUnit.SECONDS)))
                    .isInstanceOf(LockStoreException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void tryAcquire_twoOfFiveAreFrozen_isNotHeldUp() {
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=0s&nodeTimeout=10s");
        get(store.release(acquire(store, "warm")));
        server(1).pause();
        server(2).pause();

        long start = System.nanoTime();
        Lease lease = acquire(store, "me");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        assertThat(get(store.renew(lease, TTL))).isTrue();
        assertThat(get(store.release(lease))).isTrue();
        server(1).resume();
        server(2).resume();
        await().until(() -> servers.all().stream().noneMatch(RedlockLeaseStoreTest::hasKey));
    }

    @Test
    void tryAcquire_threeOfFiveAreFrozen_voteThatComesLateIsMetByTheRelease() {
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=0s&nodeTimeout=50ms");
        await().until(() -> get(ask(store, "warm", TTL).exceptionally(slow -> Optional.empty()))
                .isPresent());
        get(store.release(new Lease("lock", "warm", OptionalLong.empty(), TTL)));
        servers.all().subList(2, 5).forEach(RedisProcess::pause);

        assertThat(Await.failure(ask(store, "me", TTL))).hasMessageContaining("did not answer within 50 ms");
        servers.all().subList(2, 5).forEach(RedisProcess::resume);

        await().until(() -> server(2).calls("evalsha") + server(2).calls("eval") >= 4);
        await().until(() -> servers.all().stream().noneMatch(RedlockLeaseStoreTest::hasKey));
        await().until(() -> get(ask(store, "other", TTL).exceptionally(slow -> Optional.empty()))
                .isPresent());
    }

    /** Others have loaded the script of the release again, and not the other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void release_nodeHasForgottenHowToVoteAndIsStillAsked_leavesNoVote(boolean isGranted) throws Exception {
        try (FaultProxy slow = new FaultProxy(server(0).port())) {
            List<String> addresses = new ArrayList<>(List.of(slow.address()));
            servers.all().subList(1, 5).forEach(server -> addresses.add(server.address()));
            RedlockLeaseStore store = open(hosts(addresses) + "?restartDelay=0s&nodeTimeout=30s");
            get(store.release(acquire(store, "warm")));
            if (!isGranted) {
                servers.all().subList(1, 5).forEach(server -> server.call("SET", "lock", "other:1"));
            }
            server(0).call("SCRIPT", "FLUSH");
            server(0).call("SCRIPT", "LOAD", LeaseScript.REDLOCK_RELEASE.text());
            CompletableFuture<Void> othersAreTold = new CompletableFuture<>();
            slow.rule(words -> {
                if (words.contains("me")) {
                    othersAreTold.join();
                }
                return FaultProxy.FORWARD;
            });
            long before = server(4).calls("evalsha");
            CompletionStage<Optional<Lease>> asked = ask(store, "me", TTL);
            CompletionStage<?> released = isGranted ? store.release(get(asked).orElseThrow()) : asked;
            await().until(() -> server(4).calls("evalsha") >= before + 2);

            othersAreTold.complete(null);

            get(released);
            get(store.release(new Lease("another", "me", OptionalLong.empty(), TTL))); // behind whatever was sent
            assertThat(hasKey(server(0))).isFalse();
        }
    }

    @Test
    void tryAcquire_allHaveForgottenTheScripts_isGranted() {
        RedlockLeaseStore store = open(servers.uri() + TRUSTING);
        get(store.release(acquire(store, "warm")));
        servers.all().forEach(server -> server.call("SCRIPT", "FLUSH"));

        assertThat(get(ask(store, "me", TTL))).isPresent();
    }

    @Test
    void tryAcquire_twoSeeDifferentMajorities_oneHasIt() {
        RedlockLeaseStore one = openBehindProxies();
        RedlockLeaseStore two = openBehindProxies();
        get(one.release(acquire(one, "warm")));
        get(two.release(acquire(two, "warm")));
        isolate(proxies.get(3)); // one sees 0, 1, 2
        isolate(proxies.get(4));
        isolate(proxies.get(5)); // two sees 2, 3, 4
        isolate(proxies.get(6));

        Lease lease = acquire(one, "me");

        assertThat(get(ask(two, "other", TTL))).isEmpty();
        assertThat(hasKey(server(3)) || hasKey(server(4))).isFalse();
        assertThat(get(one.renew(lease, TTL))).isTrue();
        get(one.release(lease));
        await().until(() -> get(ask(two, "other", TTL)).isPresent());
        assertThat(get(ask(one, "me", TTL))).isEmpty();
    }

    @Test
    void release_oneNodeIsCutOff_isToldLater() {
        RedlockLeaseStore store = openBehindProxies();
        Lease lease = acquire(store, "me");
        await().until(() -> servers.all().stream().allMatch(RedlockLeaseStoreTest::hasKey));
        isolate(proxies.get(4));

        assertThat(get(store.release(lease))).isTrue();

        assertThat(hasKey(server(4))).isTrue();
        proxies.get(4).refuse(false);
        await().until(() -> !hasKey(server(4)));
    }

    @Test
    void renew_fewerThanAMajorityCanBeReached_failsUntilTheyCan() {
        RedlockLeaseStore store = openBehindProxies();
        RedlockLeaseStore other = openBehindProxies();
        Lease lease = acquire(store, "me");
        proxies.subList(0, 3).forEach(this::isolate);

        await().untilAsserted(() ->
                assertThat(Await.failure(store.renew(lease, TTL))).hasMessageContaining("2 of 5 nodes answered"));
        assertThat(get(ask(other, "other", TTL))).isEmpty();

        proxies.subList(0, 3).forEach(proxy -> proxy.refuse(false));
        await().until(() -> get(store.renew(lease, TTL).exceptionally(notYet -> false)));
    }

    /** Nobody else can have the lock meanwhile. */
    @Test
    void renew_majorityAnswersLaterThanNodesAreWaitedForOtherwise_isRenewed() {
        Duration nodeTimeout = Duration.ofMillis(500);
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=0s&nodeTimeout=500ms");
        await().until(() -> get(ask(store, "me", TTL).exceptionally(slow -> Optional.empty()))
                .isPresent());
        servers.all().subList(0, 3).forEach(RedisProcess::pause);

        CompletionStage<Boolean> renewed =
                store.renew(new Lease("lock", "me", OptionalLong.empty(), LeaseTimes.validity(TTL)), TTL);
        long since = System.nanoTime();
        await().until(() ->
                System.nanoTime() - since > nodeTimeout.multipliedBy(2).toNanos());
        servers.all().subList(0, 3).forEach(RedisProcess::resume);

        assertThat(get(renewed)).isTrue();
    }

    @Test
    void renew_majorityHasForgotten_isFalseAndTheRestIsGivenBack() {
        RedlockLeaseStore store = open(servers.uri() + TRUSTING);
        Lease lease = acquire(store, "me");
        await().until(() -> servers.all().stream().allMatch(RedlockLeaseStoreTest::hasKey));
        servers.all().subList(0, 3).forEach(server -> server.call("DEL", "lock"));

        assertThat(get(store.renew(lease, TTL))).isFalse();

        await().until(() -> servers.all().stream().noneMatch(RedlockLeaseStoreTest::hasKey));
    }

    @Test
    void renew_minorityHasForgotten_votesAgain() {
        RedlockLeaseStore store = open(servers.uri() + TRUSTING);
        Lease lease = acquire(store, "me");
        await().until(() -> servers.all().stream().allMatch(RedlockLeaseStoreTest::hasKey));
        for (int i = 0; i < servers.all().size(); i++) {
            RedisProcess restarted = server(i);
            restarted.restart();
            await().until(() -> get(store.renew(lease, TTL)) && hasKey(restarted));
        }

        assertThat(get(store.release(lease))).isTrue();
        assertThat(servers.all()).noneMatch(RedlockLeaseStoreTest::hasKey);
    }

    @Test
    void renew_minorityHasForgottenAndItIsReleasedBeforeAllHaveAnswered_doesNotVoteAgain() throws Exception {
        try (FaultProxy slow = new FaultProxy(server(0).port())) {
            List<String> addresses = new ArrayList<>(List.of(slow.address()));
            servers.all().subList(1, 5).forEach(server -> addresses.add(server.address()));
            RedlockLeaseStore store = open(hosts(addresses) + "?restartDelay=0s&nodeTimeout=30s");
            Lease lease = acquire(store, "me");
            await().until(() -> servers.all().stream().allMatch(RedlockLeaseStoreTest::hasKey));
            server(3).call("FLUSHALL");
            server(4).call("FLUSHALL");
            CompletableFuture<Void> renewed = new CompletableFuture<>();
            slow.rule(words -> {
                if (words.contains(LeaseScript.REDLOCK_RENEW.digest())) {
                    renewed.join();
                }
                return FaultProxy.FORWARD;
            });
            CompletionStage<Boolean> renewal = store.renew(lease, TTL);
            CompletionStage<Boolean> release = store.release(lease);
            await().until(() -> !hasKey(server(1)) && !hasKey(server(2)));

            renewed.complete(null);

            assertThat(get(renewal)).isTrue();
            get(release);
            get(store.release(lease)); // behind whatever the renewal has sent
            assertThat(server(3).calls("set") + server(4).calls("set")).isEqualTo(2);
        }
    }

    @Test
    void tryAcquire_majorityWasRestartedWithoutItsData_isKeptOut() {
        String uri = servers.uri() + "?nodeTimeout=2s&restartDelay=3s";
        Duration ttl = Duration.ofSeconds(3);
        RedlockLeaseStore store = open(uri);
        RedlockLeaseStore other = open(uri);
        assertThat(Await.failure(ask(store, "me", ttl))).hasMessageContaining("kept out");
        assertThat(Await.failure(ask(store, "me", Duration.ofSeconds(4)))).hasMessageContaining("restartDelay");
        await().until(() -> get(ask(store, "me", ttl).exceptionally(notYet -> Optional.empty()))
                .isPresent());
        long granted = System.nanoTime();
        servers.all().subList(0, 3).forEach(RedisProcess::restart);

        assertThat(Await.failure(ask(other, "other", ttl))).hasMessageContaining("kept out");

        await().until(() -> get(ask(other, "other", ttl).exceptionally(notYet -> Optional.empty()))
                .isPresent());
        assertThat(Duration.ofNanos(System.nanoTime() - granted)).isGreaterThan(ttl);
    }

    /** It may have been started before the other gave its last vote. */
    @ParameterizedTest
    @ValueSource(longs = {59, 3600})
    void tryAcquire_anotherServerHasTakenANodesPlace_isKeptOutFromThenOn(long uptime) {
        List<FaultProxy> nodes = servers.all().stream()
                .map(server -> new FaultProxy(server.port()))
                .toList();
        try {
            AtomicReference<String> run = new AtomicReference<>("former uptime_in_seconds:3600");
            AtomicBoolean breaks = new AtomicBoolean();
            for (FaultProxy node : nodes) {
                node.rule(words -> {
                    if (words.contains("INFO")) {
                        String said = node.address().replace(':', '.') + run.get();
                        return FaultProxy.answer("run_id:" + said.replace(" ", "\r\n") + "\r\n");
                    }
                    return breaks.get() ? FaultProxy.LOSE_REPLY : FaultProxy.FORWARD;
                });
            }
            RedlockLeaseStore store =
                    open(hosts(nodes.stream().map(FaultProxy::address).toList()) + "?restartDelay=60s&nodeTimeout=2s");
            await().until(() -> get(ask(store, "me", TTL).exceptionally(busy -> Optional.empty()))
                    .isPresent());
            run.set("next uptime_in_seconds:" + uptime);

            for (int i = 0; i < 2; i++) { // the second time, the new server is known already
                breaks.set(true);
                Await.failure(ask(store, "other", TTL));
                breaks.set(false);
                get(ask(store, "other", TTL).handle((lease, failure) -> true)); // behind the next connections
                await().untilAsserted(() -> assertThat(Await.failure(ask(store, "other", TTL)))
                        .hasMessageMatching("(?s).*kept out for [45]\\d s more.*"));
            }
        } finally {
            nodes.forEach(FaultProxy::close);
        }
    }

    /** Two addresses of the first server, and the second. */
    private String oneServerTwice() {
        TcpProxy same = TcpProxy.of(server(0).port());
        proxies.add(same);
        return hosts(List.of(server(0).address(), same.address(), server(1).address()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "1s"})
    void tryAcquire_oneServerHasTwoAddresses_isRefused(String restartDelay) {
        RedlockLeaseStore store = open(oneServerTwice() + "?restartDelay=" + restartDelay);

        for (int i = 0; i < 2; i++) {
            assertThat(Await.failure(ask(store, "me", Duration.ofSeconds(1))))
                    .isInstanceOf(StoreRefusalException.class)
                    .hasMessageContaining("one server");
        }
        assertThat(hasKey(server(0))).isFalse();
    }

    @Test
    void tryAcquire_oneServerIsFoundToHaveTwoAddressesLater_hasOneVote() {
        RedlockLeaseStore store = open(oneServerTwice() + TRUSTING);
        TcpProxy same = proxies.get(0);
        same.refuse(true);
        get(store.release(acquire(store, "warm")));
        same.refuse(false);
        server(1).kill();

        await().untilAsserted(
                        () -> assertThat(Await.failure(ask(store, "me", TTL))).hasMessageContaining("one server"));
    }

    @Test
    void renew_forLongerThanARestartedNodeIsKeptOut_isRefused() {
        RedlockLeaseStore store = open(servers.uri() + "?restartDelay=3s");
        Lease lease = new Lease("lock", "me", OptionalLong.empty(), Duration.ofSeconds(1));

        assertThat(Await.failure(store.renew(lease, Duration.ofSeconds(4))))
                .isInstanceOf(StoreRefusalException.class)
                .hasMessageContaining("longer than restartDelay");
    }

    @Test
    void tryAcquire_votesTakeLongerThanTheLease_givesNothing() {
        RedlockLeaseStore store = openBehindProxies();
        get(store.release(acquire(store, "warm")));
        proxies.forEach(proxy -> proxy.delay(Duration.ofMillis(60)));

        assertThat(Await.failure(ask(store, "me", Duration.ofMillis(100)))).hasMessageContaining("longer to vote");

        assertThat(servers.all()).noneMatch(RedlockLeaseStoreTest::hasKey);
    }

    @Test
    void lock_majorityIsKilledWhileHeld_holderIsToldBeforeTheLeaseEnds() throws Exception {
        try (LeaseClient client = LeaseClient.connect(
                servers.uri() + TRUSTING + "&sessionTimeout=2s&closeTimeout=0s", ClientOptions.defaults())) {
            DistributedLock lock = client.lock("lock");
            lock.lock();
            CompletableFuture<String> told = new CompletableFuture<>();
            lock.onLost(() -> told.complete("told"));
            servers.all().subList(0, 3).forEach(RedisProcess::kill);
            long killed = System.nanoTime();

            assertThat(told.get(60, TimeUnit.SECONDS)).isEqualTo("told");
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void scripts_attemptThatWasGivenUpComesLate_changesNothing() {
        assertThat(run(LeaseScript.REDLOCK_ACQUIRE, "me", "2", "20000")).isEqualTo(List.of(1L));

        assertThat(run(LeaseScript.REDLOCK_ACQUIRE, "me", "1", "20000")).isEqualTo(List.of(0L, "me"));
        assertThat(run(LeaseScript.REDLOCK_RELEASE, "me", "channel", "1")).isEqualTo(List.of(0L));
        assertThat(server(0).call("GET", "lock")).isEqualTo("me:2");
        assertThat(run(LeaseScript.REDLOCK_ACQUIRE, "me", "3", "20000")).isEqualTo(List.of(1L));
        assertThat(run(LeaseScript.REDLOCK_RELEASE, "me", "channel")).isEqualTo(List.of(1L));
    }

    @Test
    void scripts_keyIsAStrangers_isLeftAlone() {
        server(0).call("SET", "lock", "stranger", "NX", "PX", "20000");

        assertThat(run(LeaseScript.REDLOCK_ACQUIRE, "me", "1", "20000")).isEqualTo(List.of(0L, "stranger"));
        assertThat(run(LeaseScript.REDLOCK_RENEW, "me", "20000")).isEqualTo(List.of(0L, "somebody else"));
        assertThat(run(LeaseScript.REDLOCK_RELEASE, "me", "channel")).isEqualTo(List.of(0L));
        server(0).call("DEL", "lock");
        server(0).call("HSET", "lock", "field", "1");
        assertThat((List<?>) run(LeaseScript.REDLOCK_ACQUIRE, "me", "1", "20000"))
                .first()
                .isEqualTo(0L);
        assertThat((List<?>) run(LeaseScript.REDLOCK_RENEW, "me", "20000"))
                .first()
                .isEqualTo(0L);
        assertThat(run(LeaseScript.REDLOCK_RELEASE, "me", "channel")).isEqualTo(List.of(0L));
    }

    private Object run(LeaseScript script, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.text(), "1", "lock"));
        command.addAll(List.of(arguments));
        return server(0).call(command.toArray(String[]::new));
    }
}
