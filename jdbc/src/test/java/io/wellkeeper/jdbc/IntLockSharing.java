package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.util.UUIDConverter;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Our locks in Spring Integration's table, beside its own registry. */
@ExtendWith(SharedServers.class)
abstract class IntLockSharing {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int ROUNDS = 30;

    private final DriverManagerDataSource source;
    private final String name = "shared-" + UUID.randomUUID();
    private final ExecutorService another = Executors.newSingleThreadExecutor();
    private final IntLockLeaseStore store;

    IntLockSharing(Servers server) {
        LibraryTables.intLock(server);
        source = new DriverManagerDataSource(server.uri(server.port()));
        store = IntLockLeaseStore.over(source);
    }

    @AfterEach
    void close() {
        another.shutdownNow();
        store.close();
    }

    private JdbcLockRegistry registry(Duration ttl, String region) {
        DefaultLockRepository repository = new DefaultLockRepository(source);
        repository.setTransactionManager(new DataSourceTransactionManager(source));
        repository.setRegion(region);
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        return new JdbcLockRegistry(repository, ttl);
    }

    private Lock theirs(Duration ttl) {
        return registry(ttl, "DEFAULT").obtain(name);
    }

    private LeaseClient ours(Duration sessionTimeout) {
        return LeaseClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(sessionTimeout)
                        .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                        .build());
    }

    private boolean elsewhere(Callable<Boolean> task) throws Exception {
        return another.submit(task).get(60, TimeUnit.SECONDS);
    }

    @Test
    void registryHolds_weAreKeptOutUntilItUnlocks() {
        Lock held = theirs(LONG);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            held.lock();
            assertThat(lock.tryLock()).isFalse();

            held.unlock();

            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void weHold_registryIsKeptOutUntilWeUnlock() {
        Lock held = theirs(LONG);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            assertThat(held.tryLock()).isFalse();

            lock.unlock();

            assertThat(held.tryLock()).isTrue();
            assertThat(lock.tryLock()).isFalse();
            held.unlock();
        }
    }

    @Test
    void otherRegion_isAnotherLock() {
        Lock elsewhere = registry(LONG, "ELSEWHERE").obtain(name);
        IntLockLeaseStore there = IntLockLeaseStore.over(source, "INT_", "ELSEWHERE");
        try (LeaseClient client = ours(LONG);
                LeaseClient same = LeaseClient.over(there)) {
            elsewhere.lock();
            assertThat(client.lock(name).tryLock()).isTrue();
            assertThat(same.lock(name).tryLock()).isFalse();
            elsewhere.unlock();
        } finally {
            there.close();
        }
    }

    @Test
    void registrysLockExpires_weGetInAndItsLateUnlockLeavesOursAlone() throws Exception {
        Lock late = theirs(SHORT);
        late.lock();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock()).isFalse();

            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();

            assertThatThrownBy(late::unlock).isInstanceOf(ConcurrentModificationException.class);
            assertThat(theirs(LONG).tryLock()).isFalse();
            lock.checkHeld();
            lock.unlock();
        }
    }

    @Test
    void registryRenews_weAreKeptOut() throws Exception {
        JdbcLockRegistry registry = registry(SHORT, "DEFAULT");
        Lock held = registry.obtain(name);
        held.lock();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            await().pollInSameThread().during(SHORT.multipliedBy(2)).until(() -> {
                registry.renewLock(name);
                return !elsewhere(lock::tryLock);
            });
            held.unlock();
        }
    }

    @Test
    void ourLeaseWithoutRenewalExpires_registryGetsInAndOurLateUnlockLeavesItsLockAlone() throws Exception {
        Lock held = theirs(LONG);
        try (LeaseClient client = ours(LONG)) {
            LeaseHandle lock = client.tryAcquireLease(name, SHORT).orElseThrow();
            assertThat(held.tryLock()).isFalse();

            assertThat(held.tryLock(10, TimeUnit.SECONDS)).isTrue();

            assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
            assertThat(client.lock(name).tryLock()).isFalse();
            held.unlock();
        }
    }

    @Test
    void weHoldLongerThanTheLease_registryIsKeptOut() {
        Lock held = theirs(LONG);
        try (LeaseClient client = ours(SHORT)) {
            DistributedLock lock = client.lock(name);
            lock.lock();

            await().pollInSameThread().during(SHORT.multipliedBy(2)).until(() -> !held.tryLock());

            lock.checkHeld();
            lock.unlock();
        }
    }

    @Test
    void bothInTurns_neverTwoAtOnce() throws Exception {
        Lock held = theirs(LONG);
        AtomicInteger inside = new AtomicInteger();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            Future<?> there = another.submit(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    held.lock();
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    inside.decrementAndGet();
                    held.unlock();
                }
            });
            for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                inside.decrementAndGet();
                lock.unlock();
            }
            there.get(60, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders",
                "z\u00e1mek-\u9501",
                "1-2-3-4-5",
                "a6edc906-2f9f-5fb2-a373-efac406f0ef2",
                "A6EDC906-2F9F-5FB2-A373-EFAC406F0EF2",
                " "
            })
    void uuid_ofAnyName_isTheRegistrys(String key) {
        assertThat(IntLockLeaseStore.uuid(key))
                .isEqualTo(UUIDConverter.getUUID(key).toString());
    }
}
