package io.wellkeeper.jdbc;

import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock of {@link RowLocks} as a {@link Lock}, reentrant. It has a connection of its own while it is held and while
 * somebody waits for it: one for all the threads that use this object, since they queue up for it first. What is
 * written on other connections is not part of its transaction; to have both end together use {@link
 * RowLocks#transaction}.
 *
 * <p>The lock is held until {@link #unlock()}, or until its connection breaks. The holder learns that the connection
 * has broken when it asks by {@link #checkHeld()}, or unlocks. The transaction is idle meanwhile: PostgreSQL cannot
 * clean up behind a long transaction, and ends an idle one at {@code idle_in_transaction_session_timeout}.
 */
public final class RowLock implements Lock {

    private final RowLocks locks;
    private final String name;
    private final ReentrantLock threads = new ReentrantLock(true);
    private @Nullable RowTransaction transaction; // guarded by threads

    RowLock(RowLocks locks, String name) {
        this.locks = locks;
        this.name = name;
    }

    /** {@return the lock's name} */
    public String name() {
        return name;
    }

    /**
     * Waits for as long as it takes; an interrupt does not end the wait.
     *
     * @throws LockStoreException if the database failed
     */
    @Override
    public void lock() {
        threads.lock();
        acquire(() -> locks.begin(Deadline.never(), List.of(name)));
    }

    /**
     * An interrupt is noticed within a few seconds: as long as a single question to the database may take.
     *
     * @throws LockStoreException if the database failed
     */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        threads.lockInterruptibly();
        acquire(() -> locks.beginInterruptibly(Deadline.never(), List.of(name)));
    }

    /**
     * Does not wait for the lock, but waits up to two seconds for a connection.
     *
     * @throws LockStoreException if the database failed, or the data source has given no connection in that time
     */
    @Override
    public boolean tryLock() {
        return threads.tryLock() && acquire(() -> locks.begin(Deadline.in(Duration.ZERO), List.of(name)));
    }

    /**
     * An interrupt is noticed within a few seconds: as long as a single question to the database may take. A time of
     * zero or less makes it a {@link #tryLock()} that honours interrupts.
     *
     * @throws LockStoreException if the database failed, or the data source has given no connection in all that time,
     *     two seconds or more
     */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (time <= 0) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return tryLock();
        }
        Deadline deadline = Deadline.in(Duration.ofNanos(unit.toNanos(time)));
        return threads.tryLock(time, unit) && acquire(() -> locks.beginInterruptibly(deadline, List.of(name)));
    }

    private interface Beginning<E extends Exception> {
        Optional<RowTransaction> begin() throws E;
    }

    /** Begins the transaction, with the threads' lock held; gives that lock back if this does not succeed. */
    private <E extends Exception> boolean acquire(Beginning<E> beginning) throws E {
        if (threads.getHoldCount() > 1) {
            return true;
        }
        boolean held = false;
        try {
            Optional<RowTransaction> begun = beginning.begin();
            transaction = begun.orElse(null);
            held = begun.isPresent();
            return held;
        } finally {
            if (!held) {
                threads.unlock();
            }
        }
    }

    /**
     * Gives the lock back by a commit; one round trip.
     *
     * @throws LockLostException if its connection was broken: another may have held the lock before this call
     * @throws IllegalMonitorStateException if this thread does not hold it
     */
    @Override
    public void unlock() {
        RowTransaction held = held();
        try {
            if (threads.getHoldCount() == 1) {
                transaction = null;
                held.commit();
            }
        } catch (SQLException failed) {
            throw held.lost(failed);
        } finally {
            threads.unlock();
        }
    }

    private RowTransaction held() {
        RowTransaction held = transaction;
        if (!threads.isHeldByCurrentThread() || held == null) {
            throw new IllegalMonitorStateException("this thread does not hold the row lock '" + name + "'");
        }
        return held;
    }

    /**
     * The number to show to whatever the lock protects outside this database.
     *
     * @return the same during all nested holds; no round trip
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     */
    public long fencingToken() {
        return held().fencingToken(name);
    }

    /**
     * Asks the server whether the lock is still held; one round trip, at most two seconds.
     *
     * @throws LockLostException if its connection is broken
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     */
    public void checkHeld() {
        held().checkHeld();
    }

    /** Not supported. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a row lock has no conditions");
    }

    @Override
    public String toString() {
        return "RowLock[" + name + (threads.isHeldByCurrentThread() ? ", " : ", not ") + "held by this thread]";
    }
}
