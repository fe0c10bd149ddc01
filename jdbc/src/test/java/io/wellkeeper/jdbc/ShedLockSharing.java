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
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Our locks in ShedLock's table, beside ShedLock itself. */
@ExtendWith(SharedServers.class)
abstract class ShedLockSharing {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(300);
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final int ROUNDS = 50;
    private static final int FEW = 6;
    private static final String TABLE_OF_SECONDS = "shedlock_of_seconds";

    private final DriverManagerDataSource source;
    private final String name = "shared-" + UUID.randomUUID();
    private final ExecutorService another = Executors.newSingleThreadExecutor();
    private final ShedLockLeaseStore store;
    private final ShedLockLeaseStore storeOfSeconds;
    private final LockProvider theirs;

    ShedLockSharing(Servers server) {
        LibraryTables.shedLock(server);
        source = new DriverManagerDataSource(server.uri(server.port()));
        LibraryTables.shedLockOfSeconds(server, TABLE_OF_SECONDS);
        store = ShedLockLeaseStore.over(source);
        storeOfSeconds = ShedLockLeaseStore.over(source, TABLE_OF_SECONDS);
        theirs = shedLock(true);
    }

    @AfterEach
    void close() {
        another.shutdownNow();
        store.close();
        storeOfSeconds.close();
    }

    private LockProvider shedLock(boolean databaseTime) {
        JdbcTemplateLockProvider.Configuration.Builder configuration =
                JdbcTemplateLockProvider.Configuration.builder().withJdbcTemplate(new JdbcTemplate(source));
        return new JdbcTemplateLockProvider(
                (databaseTime ? configuration.usingDbTime() : configuration.forceUtcTimeZone()).build());
    }

    private Optional<SimpleLock> lock(LockProvider provider, Duration atMost, Duration atLeast) {
        return provider.lock(new LockConfiguration(Instant.now(), name, atMost, atLeast));
    }

    private Optional<SimpleLock> lockTheirs() {
        return lock(theirs, LONG, Duration.ZERO);
    }

    private LeaseClient ours(Duration sessionTimeout) {
        return LeaseClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(sessionTimeout)
                        .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                        .build());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shedLockHolds_weAreKeptOutUntilItUnlocks(boolean databaseTime) {
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            SimpleLock held = lock(shedLock(databaseTime), LONG, Duration.ZERO).orElseThrow();
            assertThat(lock.tryLock()).isFalse();

            held.unlock();

            await().pollInSameThread().until(lock::tryLock); // by its own clock it may be a moment ahead
            lock.unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void weHold_shedLockIsKeptOutUntilWeUnlock(boolean databaseTime) {
        LockProvider provider = shedLock(databaseTime);
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            assertThat(lock(provider, LONG, Duration.ZERO)).isEmpty();

            lock.unlock();

            await().untilAsserted(() ->
                    assertThat(lock(provider, LONG, Duration.ZERO)).isPresent());
            assertThat(lock.tryLock()).isFalse();
        }
    }

    @Test
    void shedLocksLockExpires_weGetInAndItsLateExtensionLeavesOursAlone() throws Exception {
        SimpleLock late = lock(theirs, SHORT, Duration.ZERO).orElseThrow();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock()).isFalse();

            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();

            assertThat(late.extend(LONG, Duration.ZERO)).isEmpty();
            assertThat(lockTheirs()).isEmpty();
            lock.checkHeld();
            lock.unlock();
            assertThat(lockTheirs()).isPresent();
        }
    }

    @Test
    void shedLocksLockExpires_itsLateUnlockLeavesOursAlone() throws Exception {
        SimpleLock late = lock(theirs, SHORT, Duration.ZERO).orElseThrow();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();

            late.unlock();

            assertThat(lockTheirs()).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void shedLockHoldsAtLeast_weAreKeptOutUntilThen() throws Exception {
        SimpleLock held = lock(theirs, LONG, SHORT).orElseThrow();
        held.unlock();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
        }
    }

    @Test
    void ourLeaseWithoutRenewalExpires_shedLockGetsInAndOurLateUnlockLeavesItsLockAlone() {
        try (LeaseClient client = ours(LONG)) {
            LeaseHandle lock = client.tryAcquireLease(name, SHORT).orElseThrow();

            await().until(() -> {
                boolean letIn = lockTheirs().isPresent();
                assertThat(letIn && lock.isHeld()).isFalse();
                return letIn;
            });

            assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
            assertThat(client.lock(name).tryLock()).isFalse();
        }
    }

    @Test
    void tableKeepsWholeSeconds_nobodyGetsInWhileALeaseIsReliedUpon() {
        try (LeaseClient client = LeaseClient.over(storeOfSeconds)) {
            for (int i = 0; i < FEW; i++) {
                String each = name + i;
                LeaseHandle lock = client.tryAcquireLease(each, MOMENT).orElseThrow();

                await().pollInSameThread().pollInterval(OFTEN).until(() -> {
                    boolean letIn = Await.get(storeOfSeconds.tryAcquire(new LeaseRequest(each, "other", SHORT, "")))
                            .isPresent();
                    assertThat(letIn && lock.isHeld()).isFalse();
                    return letIn;
                });
            }
        }
    }

    @Test
    void tableKeepsWholeSeconds_lockIsFreeOnceItWasReleased() {
        for (int i = 0; i < ROUNDS; i++) {
            LeaseRequest request = new LeaseRequest(name, "owner-" + i, LONG, "");
            Lease lease = Await.get(storeOfSeconds.tryAcquire(request)).orElseThrow();
            assertThat(Await.get(storeOfSeconds.release(lease))).isTrue();
        }
    }

    @Test
    void weHoldLongerThanTheLease_shedLockIsKeptOut() {
        try (LeaseClient client = ours(SHORT)) {
            DistributedLock lock = client.lock(name);
            lock.lock();

            await().during(SHORT.multipliedBy(2))
                    .untilAsserted(() -> assertThat(lockTheirs()).isEmpty());

            lock.checkHeld();
            lock.unlock();
        }
    }

    @Test
    void bothInTurns_neverTwoAtOnce() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        try (LeaseClient client = ours(LONG)) {
            DistributedLock lock = client.lock(name);
            Future<?> there = another.submit(() -> {
                for (int done = 0; done < ROUNDS; ) {
                    Optional<SimpleLock> held = lockTheirs();
                    if (held.isPresent()) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        inside.decrementAndGet();
                        held.get().unlock();
                        done++;
                    }
                }
            });
            for (int i = 0; i < ROUNDS; i++) {
                if (lock.tryLock(10, TimeUnit.SECONDS)) {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    inside.decrementAndGet();
                    lock.unlock();
                }
            }
            there.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void tryAcquire_nameLongerThanTheColumn_isRefused() {
        assertThat(Await.failure(store.tryAcquire(new LeaseRequest("x".repeat(65), "me", LONG, ""))))
                .isInstanceOf(LockStoreException.class);
    }
}
