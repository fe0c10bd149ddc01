package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class RowLockTest {

    private static final int THREADS = 6;
    private static final int ROUNDS = 20;

    private final String prefix = RealDatabase.prefix();
    private int counted; // under the lock

    private RowLocks locks(RealDatabase database) throws SQLException {
        RowLocks locks = RowLocks.over(database, prefix);
        locks.createTable();
        return locks;
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lock_manyThreadsOnTwoObjects_oneAtATimeAndTokensGrow(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        List<RowLock> objects = List.of(locks.lock("a"), locks.lock("a"));
        List<Long> tokens = new ArrayList<>();
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            RowLock lock = objects.get(thread % 2);
            threads.add(Calls.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    lock.lock();
                    try {
                        int before = counted;
                        tokens.add(lock.fencingToken());
                        Thread.yield();
                        counted = before + 1;
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        assertThat(counted).isEqualTo(THREADS * ROUNDS);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lock_again_isReentrant(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        RowLock lock = locks.lock("a");
        RowLock other = locks.lock("a");
        lock.lock();
        long token = lock.fencingToken();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.fencingToken()).isEqualTo(token);
        lock.unlock();
        assertThat(other.tryLock()).isFalse();
        lock.checkHeld();
        lock.unlock();
        assertThat(other.tryLock()).isTrue();
        other.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::fencingToken).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void unlock_fromAnotherThread_refused(RealDatabase database) throws Exception {
        RowLock lock = locks(database).lock("a");
        lock.lock();
        assertThat(Calls.result(Calls.start(lock::unlock))).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(Calls.result(Calls.start(() ->
                        assertThat(lock.tryLock(100, TimeUnit.MILLISECONDS)).isFalse())))
                .isEqualTo(Calls.PASSED);
        lock.unlock();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void tryLock_timed_heldElsewhereThenFreed(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        RowLock lock = locks.lock("a");
        try (RowTransaction tx = locks.transaction("a")) {
            assertThat(lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
            CompletableFuture<Object> waiting = Calls.start(() -> {
                assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
                lock.unlock();
            });
            await().until(() -> database.waiting() == 1);
            tx.commit();
            assertThat(Calls.result(waiting)).isEqualTo(Calls.PASSED);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lockInterruptibly_interruptedWhileItWaits_ends(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        RowLock lock = locks.lock("a");
        AtomicReference<Thread> waiter = new AtomicReference<>();
        try (RowTransaction tx = locks.transaction("a")) {
            CompletableFuture<Object> waiting = Calls.start(() -> {
                waiter.set(Thread.currentThread());
                lock.lockInterruptibly();
            });
            await().until(() -> database.waiting() == 1);
            waiter.get().interrupt();
            assertThat(Calls.result(waiting)).isInstanceOf(InterruptedException.class);
            tx.commit();
        }
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lock_interrupted_waitsAndKeepsTheInterrupt(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        RowLock lock = locks.lock("a");
        AtomicReference<Thread> waiter = new AtomicReference<>();
        try (RowTransaction tx = locks.transaction("a")) {
            CompletableFuture<Object> waiting = Calls.start(() -> {
                waiter.set(Thread.currentThread());
                lock.lock();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                lock.unlock();
            });
            await().until(() -> database.waiting() == 1);
            waiter.get().interrupt();
            tx.commit();
            assertThat(Calls.result(waiting)).isEqualTo(Calls.PASSED);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void unlock_afterItsConnectionWasKilled_tellsOfTheLoss(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        AtomicReference<Connection> connection = new AtomicReference<>();
        RowLocks watched = RowLocks.over(new ForwardingDataSource(database, connection::set), prefix);
        RowLock lock = watched.lock("a");
        lock.lock();
        RowLocksTest.kill(database, connection.get());
        assertThatThrownBy(lock::checkHeld).isInstanceOf(LockLostException.class);
        assertThat(locks.tryTransaction(java.time.Duration.ofSeconds(10), "a"))
                .hasValueSatisfying(RowTransaction::close);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class).hasMessageContaining("[a]");
        lock.lock();
        lock.unlock();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lock_databaseOutOfReach_toldAndNotHeld(RealDatabase database) throws Exception {
        locks(database);
        AtomicReference<SQLException> trouble = new AtomicReference<>(new SQLException("the pool is empty", "08001"));
        RowLocks locks = RowLocks.over(
                new ForwardingDataSource(database, connection -> {
                    SQLException failure = trouble.get();
                    if (failure != null) {
                        connection.close();
                        throw failure;
                    }
                }),
                prefix);
        RowLock lock = locks.lock("a");
        assertThatThrownBy(lock::lock).isInstanceOf(LockStoreException.class).hasMessageContaining("the pool is empty");
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        trouble.set(null);
        lock.lock();
        lock.unlock();
    }
}
