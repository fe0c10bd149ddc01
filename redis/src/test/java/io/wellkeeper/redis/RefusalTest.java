package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no waiting removes ends a call, in the words of the server. */
@Tag("full")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {

    private static final ClientOptions PATIENT = ClientOptions.builder()
            .storeTimeout(Duration.ofMinutes(2)) // so that nothing here ends because of it
            .sessionTimeout(Duration.ofSeconds(2))
            .build();

    private static void assertRefused(ThrowingCallable call, String words) {
        assertThatThrownBy(call)
                .isExactlyInstanceOf(LockStoreException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("hidden")
                .hasCauseInstanceOf(StoreRefusalException.class);
    }

    private static void assertLocksRefused(String uri, String words) throws Exception {
        try (LeaseClient client = LeaseClient.connect(uri, PATIENT)) {
            DistributedLock lock = client.lock("refused");
            assertRefused(lock::lock, words);
            assertRefused(lock::tryLock, words);
            assertRefused(() -> lock.tryLock(60, TimeUnit.SECONDS), words);
        }
    }

    @Test
    void lock_wrongPassword_failsAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start("--requirepass", "other")) {
            String with = ":hidden@" + server.address();
            assertRefused(() -> LockClient.connect("redis://" + with, PATIENT), "WRONGPASS");
            assertLocksRefused("redis-simple://" + with, "WRONGPASS");
            assertLocksRefused("redis-redisson://" + with, "WRONGPASS");
            assertLocksRefused("redis-simple://" + server.address(), "NOAUTH");
        }
    }

    @Test
    void lock_majorityOfRedlockRefuses_failsAtOnce() throws Exception {
        try (RedlockServers servers = new RedlockServers()) {
            String uri = servers.uri().replace("redlock://", "redlock://nobody:hidden@");
            assertLocksRefused(uri + "?restartDelay=0s&nodeTimeout=1s", "WRONGPASS");
        }
    }

    @Test
    void lock_unknownHost_failsAtOnce() throws Exception {
        String host = "no.such.host.invalid";
        assertRefused(() -> LockClient.connect("redis://" + host, PATIENT), host);
        assertRefused(() -> LockClient.connect("redis-sentinel://" + host + "/main", PATIENT), host);
        assertRefused(() -> LockClient.connect("redis-cluster://" + host, PATIENT), host);
        assertLocksRefused("redis-simple://" + host, host);
    }

    @Test
    void connect_serverOfAnotherKind_failsAtOnce() throws Exception {
        try (RedisProcess plain = RedisProcess.start();
                RedisProcess node = RedisProcess.start("--cluster-enabled", "yes");
                RedisProcess another = RedisProcess.start("--cluster-enabled", "yes")) {
            assertRefused(() -> LockClient.connect("redis-cluster://" + plain.address(), PATIENT), "cluster support");
            assertLocksRefused("redis-simple-cluster://" + plain.address(), "cluster support");
            assertRefused(
                    () -> LockClient.connect("redis-sentinel://" + plain.address() + "/main", PATIENT), "SENTINEL");

            node.call("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
            another.call("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
            node.call("CLUSTER", "MEET", "127.0.0.1", Integer.toString(another.port()));
            await().until(() -> String.valueOf(node.call("CLUSTER", "INFO")).contains("cluster_state:ok"));
            RedisProcess stranger = SlotHash.getSlot("0") < 8192 ? another : node; // of the keys
            assertRefused(() -> LockClient.connect("redis://" + stranger.address(), PATIENT), "redis-cluster://");
        }
    }

    @Test
    void lock_serverLacksACommandOfItsScripts_failsAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start("--rename-command", "PEXPIRE", "")) {
            assertRefused(
                    () -> LockClient.connect("redis://" + server.address() + "?restartGuard=off", PATIENT),
                    "Unknown Redis command");
            assertLocksRefused("redis-simple://" + server.address(), "Unknown Redis command");
        }
    }

    @Test
    void connect_serverIsInProtectedMode_failsAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                FaultProxy proxy = new FaultProxy(server.port())) {
            proxy.rule(words -> "DENIED Redis is running in protected mode");
            assertRefused(() -> LockClient.connect("redis://" + proxy.address(), PATIENT), "protected mode");
        }
    }

    @Test
    void lock_noPermissionOrNoMemory_failsAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            server.call("ACL", "SETUSER", "app", "on", ">hidden", "~other:*", "&*", "+@all");
            assertRefused(() -> LockClient.connect("redis://app:hidden@" + server.address(), PATIENT), "NOPERM");
            assertLocksRefused("redis-simple://app:hidden@" + server.address(), "NOPERM");

            server.call("CONFIG", "SET", "maxmemory", "1");
            assertLocksRefused("redis-simple://" + server.address(), "OOM");
        }
    }

    @Test
    void holder_memoryIsFull_keepsWhatItHoldsAndGivesItBack() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                LockClient client = LockClient.connect("redis://" + server.address() + "?restartGuard=off", PATIENT)) {
            LockHandle held = client.lock("held").acquire();
            server.call("CONFIG", "SET", "maxmemory", "1");
            long before = server.calls("evalsha");
            await().until(() -> server.calls("evalsha") >= before + 8); // for longer than a session lives by itself
            held.checkHeld();
            assertRefused(client.lock("refused")::lock, "OOM");
            held.close();

            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("held"))));
        }
    }

    @Test
    void lock_keyIsOfAnotherType_failsAtOnceAndLeavesNoTicket() throws Exception {
        Keys.Partition keys = new Keys("wellkeeper", Keys.SINGLE, false).of("l");
        try (RedisProcess server = RedisProcess.start();
                LockClient client = LockClient.connect("redis://" + server.address() + "?restartGuard=off", PATIENT)) {
            for (String key : List.of(queue("l"), keys.data("l"), keys.names())) {
                server.call("SET", key, "a string");
                assertRefused(client.lock("l")::lock, "WRONGTYPE");
                server.call("DEL", key);

                await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("l"))));
                client.lock("l").acquire().close();
            }
        }
    }

    @Test
    void word_ofAServerBeforeVersion7_isThatOfTheCommandInTheScript() {
        assertThat(Refusals.word("ERR Error running script (call to f_6357b561ddcf): @user_script:150: WRONGTYPE"
                        + " Operation against a key holding the wrong kind of value"))
                .isEqualTo("WRONGTYPE");
    }

    @Test
    void lock_commandIsNotAllowedAnyMore_failsAtOnceAndLeavesNoTicket() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            server.call("ACL", "SETUSER", "app", "on", ">hidden", "~*", "&*", "+@all");
            try (LockClient client =
                    LockClient.connect("redis://app:hidden@" + server.address() + "?restartGuard=off", PATIENT)) {
                server.call("ACL", "SETUSER", "app", "-pexpire");
                assertRefused(client.lock("l")::lock, "The user executing the script can't run this command");

                await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("l"))));
            }
        }
    }

    @Test
    void connect_userMayNotPublish_failsAtOnce() {
        try (RedisProcess server = RedisProcess.start()) {
            server.call("ACL", "SETUSER", "app", "on", ">hidden", "~*", "&*", "+@all", "-publish");

            assertRefused(
                    () -> LockClient.connect("redis://app:hidden@" + server.address() + "?restartGuard=off", PATIENT),
                    "The user executing the script can't run this command");
        }
    }

    private static String queue(String lock) {
        return new Keys("wellkeeper", Keys.SINGLE, false).of(lock).queue(lock);
    }

    /** A store whose driver finds one of its classes no more, from the given connection on. */
    private static RedisTicketStore lackingAClass(String uri, int from) {
        AtomicInteger connections = new AtomicInteger();
        ClientResources lacking = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED, to -> {
                    if (connections.incrementAndGet() >= from) {
                        throw new NoClassDefFoundError("io/lettuce/Missing");
                    }
                    return to;
                }))
                .build();
        return new RedisTicketStore(RedisPlace.of(StoreUri.parse(uri)), lacking);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://%s", "redis-sentinel://%s/main", "redis-cluster://%s"})
    void connect_classIsMissing_failsAtOnceAndAgain(String uri) {
        String where = uri.formatted("127.0.0.1:1");
        try (RedisTicketStore store = lackingAClass(where, 1)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> LockClient.over(store, PATIENT))
                        .isExactlyInstanceOf(LockStoreException.class)
                        .hasStackTraceContaining("io/lettuce/Missing");
            }
        }
    }

    @Test
    void lock_classIsMissingWhenAnotherConnectionIsMade_failsWhenTheSessionIsOver() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                RedisTicketStore store = lackingAClass("redis://" + server.address() + "?restartGuard=off", 2);
                LockClient client = LockClient.over(store, PATIENT)) {
            LockHandle held = client.lock("held").acquire();
            server.call("CLIENT", "KILL", "TYPE", "pubsub");
            CompletableFuture<LockHandle> waiting = client.lock("refused").acquireAsync();

            await().until(() -> !held.isHeld());
            await().until(waiting::isDone);
            assertThatThrownBy(waiting::join).hasStackTraceContaining("io/lettuce/Missing");
        }
    }

    @Test
    void lock_userMayNotConnectAgain_failsWhenTheSessionIsOverAndWorksWhenHeMay() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            List<String> user = List.of("ACL", "SETUSER", "app", "on", ">hidden", "~*", "&*", "+@all");
            server.call(user.toArray(String[]::new));
            String uri = "redis://app:hidden@" + server.address() + "?restartGuard=off";
            try (LockClient client = LockClient.connect(uri, PATIENT)) {
                LockHandle held = client.lock("held").acquire();
                server.call("ACL", "DELUSER", "app"); // ends its connections too
                CompletableFuture<LockHandle> waiting = client.lock("refused").acquireAsync();

                await().until(() -> !held.isHeld());
                await().until(waiting::isDone);
                assertThatThrownBy(waiting::join)
                        .cause()
                        .hasMessageContaining("WRONGPASS")
                        .hasCauseInstanceOf(StoreRefusalException.class);
                assertRefused(client.lock("refused")::lock, "WRONGPASS");

                server.call(user.toArray(String[]::new));
                client.lock("refused").acquire().close();
            }
        }
    }
}
