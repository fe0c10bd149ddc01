package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.RedisSentinels;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master that is gone is replaced, and locks outlive it if its replicas know of them. */
@Tag("full")
class SentinelFailoverTest {

    private static final Duration LEASE = Duration.ofSeconds(12); // longer than it takes to choose another master

    private final RedisSentinels group = RedisSentinels.start();
    private final LockClient holder = client();
    private final LockClient other = client();

    @AfterEach
    void close() {
        holder.close();
        other.close();
        group.close();
    }

    private LockClient client() {
        return client("");
    }

    private LockClient client(String parameters) {
        return LockClient.connect(
                "redis-sentinel://" + group.addresses() + "/" + RedisSentinels.MASTER + "?restartGuard=off"
                        + parameters,
                ClientOptions.builder().sessionTimeout(LEASE).build());
    }

    private static void awaitReplicas(RedisProcess master) {
        await().until(() -> master.info("replication").get("slave0").contains("lag=")
                && master.info("replication").get("slave1").contains("lag="));
        String offset = master.info("replication").get("master_repl_offset");
        await().until(() -> List.of("slave0", "slave1").stream()
                .map(replica -> master.info("replication").get(replica))
                .allMatch(state ->
                        Long.parseLong(state.replaceAll(".*offset=(\\d+).*", "$1")) >= Long.parseLong(offset)));
    }

    private RedisProcess awaitAnother(RedisProcess old) {
        await().atMost(Duration.ofSeconds(30)).until(() -> group.master().port() != old.port());
        return group.master();
    }

    @Test
    void masterIsKilled_lockIsKeptAndHandedOnWithALargerToken() throws Exception {
        DistributedLock lock = holder.lock("l");
        lock.lock();
        long token = lock.fencingToken();
        RedisProcess old = group.master();
        awaitReplicas(old);

        old.kill();
        RedisProcess next = awaitAnother(old);
        await().atMost(LEASE).until(() -> scripts(next) > 0);

        lock.checkHeld();
        assertThat(other.lock("l").tryLock()).isFalse();
        lock.unlock();
        LockHandle second = other.lock("l").acquire();
        assertThat(second.fencingToken()).isGreaterThan(token);
        second.close();
    }

    @Test
    void masterIsFrozen_holderAndWaiterTurnToTheNext() throws Exception {
        DistributedLock lock = holder.lock("l");
        lock.lock();
        var waiting = other.lock("l").acquireAsync().toCompletableFuture();
        RedisProcess old = group.master();
        await().until(() -> holder.admin().inspect("l").waiters().size() == 1);
        awaitReplicas(old);

        old.pause();
        try {
            RedisProcess next = awaitAnother(old);
            await().atMost(LEASE).until(() -> scripts(next) > 1);
            lock.unlock();
            waiting.get(LEASE.toSeconds(), TimeUnit.SECONDS).close();
        } finally {
            old.resume();
        }
    }

    /** The former master goes on answering for some ten seconds, and would grant what the next one grants to others. */
    @Test
    void operatorHasMasterReplaced_clientsTurnToTheNextBeforeTheFormerIsTold() throws Exception {
        DistributedLock lock = holder.lock("l");
        lock.lock();
        other.lock("unrelated").lock();
        RedisProcess old = group.master();
        RedisProcess next = replace(old);

        await().atMost(LEASE).until(() -> scripts(next) > 1);
        assertIsNotTold(old);
        lock.checkHeld();
        assertThat(other.lock("l").tryLock()).isFalse();
        lock.unlock();
        other.lock("l").acquire().close();
    }

    @Test
    void operatorHasMasterReplaced_replicasOfTheNextConfirm() throws Exception {
        try (LockClient client = client("&replicas=1&replicaTimeout=20s")) {
            client.lock("l").lock();
            RedisProcess old = group.master();
            RedisProcess next = replace(old);
            await().atMost(LEASE).until(() -> scripts(next) > 0);

            client.lock("another").acquire().close();
            assertIsNotTold(old);
        }
    }

    @Test
    void operatorHasMasterReplaced_simpleLockIsAskedForAtTheNextBeforeTheFormerIsTold() throws Exception {
        String uri = "redis-simple-sentinel://" + group.addresses() + "/" + RedisSentinels.MASTER;
        ClientOptions options = ClientOptions.builder().sessionTimeout(LEASE).build();
        try (LeaseClient first = LeaseClient.connect(uri, options);
                LeaseClient second = LeaseClient.connect(uri, options)) {
            DistributedLock lock = first.lock("l");
            lock.lock();
            DistributedLock wanted = second.lock("l");
            assertThat(wanted.tryLock()).isFalse(); // at the master that there is now
            RedisProcess old = group.master();
            RedisProcess next = replace(old);

            await().pollInSameThread().atMost(LEASE).until(() -> !wanted.tryLock() && scripts(next) > 0);
            assertIsNotTold(old);
            lock.checkHeld();
            lock.unlock();
        }
    }

    /** As for an upgrade of its machine. */
    private RedisProcess replace(RedisProcess master) {
        awaitReplicas(master);
        group.sentinels().get(0).call("SENTINEL", "FAILOVER", RedisSentinels.MASTER);
        return awaitAnother(master);
    }

    /** How many it was asked to carry out. */
    private static long scripts(RedisProcess server) {
        return server.calls("evalsha") + server.calls("eval");
    }

    private static void assertIsNotTold(RedisProcess former) {
        assertThat(former.info("replication")).containsEntry("role", "master");
    }

    @Test
    void masterIsKilled_simpleLockIsKeptAndHandedOn() throws Exception {
        String uri = "redis-simple-sentinel://" + group.addresses() + "/" + RedisSentinels.MASTER;
        ClientOptions options = ClientOptions.builder().sessionTimeout(LEASE).build();
        try (LeaseClient first = LeaseClient.connect(uri, options);
                LeaseClient second = LeaseClient.connect(uri, options)) {
            DistributedLock lock = first.lock("l");
            lock.lock();
            long token = lock.fencingToken();
            RedisProcess old = group.master();
            awaitReplicas(old);

            old.kill();
            RedisProcess next = awaitAnother(old);
            await().atMost(LEASE).until(() -> scripts(next) > 0);

            lock.checkHeld();
            var waiting = second.lock("l").acquireAsync().toCompletableFuture();
            lock.unlock();
            LockHandle handle = waiting.get(LEASE.toSeconds(), TimeUnit.SECONDS);
            assertThat(handle.fencingToken()).isGreaterThan(token);
            handle.close();
        }
    }

    @Test
    void masterIsGoneBeforeItsReplicasKnowOfTheLock_holderIsTold() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        RedisProcess old = group.master();
        awaitReplicas(old);
        List<RedisProcess> replicas =
                group.servers().stream().filter(server -> server != old).toList();
        replicas.forEach(RedisProcess::pause);
        old.call("CLIENT", "KILL", "TYPE", "replica"); // or they would read it from their sockets
        DistributedLock lock = holder.lock("l");
        lock.lock();
        lock.onLost(lost::countDown);

        old.kill();
        replicas.forEach(RedisProcess::resume);
        awaitAnother(old);

        assertThat(lost.await(LEASE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        LockHandle next = other.lock("l").acquire();
        next.close();
    }
}
