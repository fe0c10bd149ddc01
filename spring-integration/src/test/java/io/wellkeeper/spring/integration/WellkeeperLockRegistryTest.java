package io.wellkeeper.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.util.UUIDConverter;

/** What Spring Integration's own tests hold its registries to, and what is particular to this one. */
class WellkeeperLockRegistryTest {

    private enum Key {
        ONE
    }

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient otherClient = LockClient.over(new InMemoryTicketStore(server));
    private final WellkeeperLockRegistry registry = new WellkeeperLockRegistry(client, "app/");
    private final WellkeeperLockRegistry other = new WellkeeperLockRegistry(otherClient, "app/");

    @AfterEach
    void close() {
        client.close();
        otherClient.close();
        server.close();
    }

    @Test
    void lock_andAgain_isReentrant() throws Exception {
        for (int i = 0; i < 10; i++) {
            Lock lock = registry.obtain("foo");
            lock.lock();
            Lock again = registry.obtain("foo");
            again.lockInterruptibly();
            assertThat(again.tryLock()).isTrue();
            again.unlock();
            again.unlock();
            assertThat(tryElsewhere(other, "foo")).isFalse();
            lock.unlock();
        }
        await().until(() -> tryElsewhere(other, "foo"));
    }

    private static boolean tryElsewhere(WellkeeperLockRegistry registry, Object key) throws Exception {
        return CompletableFuture.supplyAsync(() -> {
                    Lock lock = registry.obtain(key);
                    boolean got = lock.tryLock();
                    if (got) {
                        lock.unlock();
                    }
                    return got;
                })
                .get(10, TimeUnit.SECONDS);
    }

    @Test
    void lock_twoKeys_areIndependent() {
        registry.obtain("foo").lock();
        registry.obtain("bar").lock();
        registry.obtain("foo").unlock();
        registry.obtain("bar").unlock();
    }

    @Test
    void unlock_byAnotherThread_isRefused() {
        registry.obtain("foo").lock();

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> other.obtain("foo").unlock());

        registry.obtain("foo").unlock();
    }

    @Test
    void tryLock_heldElsewhere_waitsForSoLongOrUntilItIsFree() throws Exception {
        Lock lock = registry.obtain("foo");
        lock.lock();
        Lock waiting = other.obtain("foo");
        assertThat(waiting.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
        CompletableFuture<Boolean> got = CompletableFuture.supplyAsync(() -> {
            try {
                return waiting.tryLock(10, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        });
        await().until(() -> server.queueLength("app/foo") == 2);

        lock.unlock();

        assertThat(got.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void executeLocked_heldElsewhere_timesOut() throws Exception {
        registry.obtain("foo").lock();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> other.executeLocked("foo", Duration.ofMillis(20), () -> {}));
        registry.obtain("foo").unlock();

        List<String> done = new ArrayList<>();
        other.executeLocked("foo", Duration.ofSeconds(10), () -> {
            done.add("inside");
        });
        assertThat(done).containsExactly("inside");
    }

    @Test
    void newCondition_signalledElsewhere_wakes() throws Exception {
        Lock lock = registry.obtain("foo");
        Condition condition = lock.newCondition();
        CountDownLatch woken = new CountDownLatch(1);
        Thread waiting = new Thread(() -> {
            lock.lock();
            condition.awaitUninterruptibly();
            lock.unlock();
            woken.countDown();
        });
        waiting.start();

        Lock there = other.obtain("foo");
        Condition same = there.newCondition();
        await().pollInSameThread().until(() -> {
            there.lock();
            same.signalAll();
            there.unlock();
            return woken.getCount() == 0;
        });
        waiting.join();
    }

    @Test
    void obtain_keysOfAllKinds_arePartOfTheName() {
        UUID id = UUID.randomUUID();
        for (Object key : List.of("foo", id, 42L, Key.ONE)) {
            registry.obtain(key).lock();
        }
        assertThat(otherClient.admin().names(""))
                .containsExactlyInAnyOrder("app/foo", "app/" + id, "app/42", "app/ONE");
    }

    @Test
    void obtain_longKey_isHashedAndShown() {
        String key = "ключ".repeat(300);
        registry.obtain(key).lock();

        String name = otherClient.admin().names("").get(0);
        assertThat(name).isEqualTo("app/" + UUIDConverter.getUUID(key));
        assertThat(otherClient.admin().inspect(name).holders().get(0).labels())
                .containsEntry("key", key.substring(0, 256));
        assertThat(other.obtain(key).tryLock()).isFalse();
        assertThat(other.obtain(key + "!").tryLock()).isTrue();
    }

    /** The store that shares a table with {@code JdbcLockRegistry} calls a lock in it by the UUID of its name. */
    @Test
    void obtain_longKeyWithoutPrefix_isTheSameInTheTableAsAtJdbcLockRegistry() {
        String key = "orders/".repeat(100);
        new WellkeeperLockRegistry(client).obtain(key).lock();

        String name = otherClient.admin().names("").get(0);
        assertThat(UUIDConverter.getUUID(name)).isEqualTo(UUIDConverter.getUUID(key));
    }

    @Test
    void obtain_otherKeys_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain(new Object()))
                .withMessageContaining("java.lang.Object");
        assertThatIllegalArgumentException().isThrownBy(() -> new WellkeeperLockRegistry(client, "x".repeat(257)));
    }

    @Test
    void expireUnusedOlderThan_held_takesNothingAway() {
        registry.obtain("foo").lock();

        registry.expireUnusedOlderThan(0);

        registry.obtain("foo").unlock();
    }

    @Test
    void registry_overLeases_locksToo() {
        try (LeaseClient leases = LeaseClient.over(new InMemoryLeaseStore(server))) {
            Lock lock = new WellkeeperLockRegistry(leases).obtain("foo");

            assertThat(lock.tryLock()).isTrue();

            lock.unlock();
        }
    }
}
