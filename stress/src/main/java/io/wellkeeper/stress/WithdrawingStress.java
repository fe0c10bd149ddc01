package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LZ_Result;

/** A waiter gives up at the moment at which the lock is released. */
final class WithdrawingStress {

    private WithdrawingStress() {}

    /** The lock is held, and a waiter may come. */
    abstract static class Held {

        final World world;
        final DistributedLock lock;
        final DistributedLock other;
        final LockHandle handle;

        Held(LockOptions locks, int clients) {
            world = new World(locks);
            lock = world.lock();
            other = clients == 1 ? lock : world.lock();
            handle = lock.tryAcquire().orElseThrow();
        }

        void release() {
            handle.close();
            world.callbacks.run();
        }
    }

    /** A waiter's future that may be cancelled before or after it has the lock. */
    abstract static class Promised extends Held {

        private final CompletableFuture<LockHandle> waiter = other.acquireAsync();

        Promised(LockOptions locks, int clients) {
            super(locks, clients);
        }

        String cancel() {
            return waiter.cancel(false) ? "cancelled" : "granted";
        }

        boolean settle() {
            if (!waiter.isCancelled()) {
                world.outcome(waiter).close();
            }
            return world.isFreeAndClean(lock);
        }
    }

    /** A waiter of the same client, to which the ticket would be handed over. */
    @JCStressTest
    @Outcome(id = "cancelled, true", expect = ACCEPTABLE, desc = "cancelled in time")
    @Outcome(id = "granted, true", expect = ACCEPTABLE, desc = "too late: it had the lock")
    @Outcome(expect = FORBIDDEN, desc = "the lock is not free, or something is left behind")
    @State
    public static class CancelledAtHandOver extends Promised {

        public CancelledAtHandOver() {
            super(World.DEFAULTS, 1);
        }

        @Actor
        public void actor1() {
            release();
        }

        @Actor
        public void actor2(LZ_Result r) {
            r.r1 = cancel();
        }

        @Arbiter
        public void arbiter(LZ_Result r) {
            r.r2 = settle();
        }
    }

    /** A waiter of the same client, with a ticket of its own. */
    @JCStressTest
    @Outcome(id = "cancelled, true", expect = ACCEPTABLE, desc = "cancelled in time")
    @Outcome(id = "granted, true", expect = ACCEPTABLE, desc = "too late: it had the lock")
    @Outcome(expect = FORBIDDEN, desc = "the lock is not free, or something is left behind")
    @State
    public static class CancelledWithOwnNumber extends Promised {

        public CancelledWithOwnNumber() {
            super(World.OWN_NUMBERS, 1);
        }

        @Actor
        public void actor1() {
            release();
        }

        @Actor
        public void actor2(LZ_Result r) {
            r.r1 = cancel();
        }

        @Arbiter
        public void arbiter(LZ_Result r) {
            r.r2 = settle();
        }
    }

    /** A waiter of another client. */
    @JCStressTest
    @Outcome(id = "cancelled, true", expect = ACCEPTABLE, desc = "cancelled in time")
    @Outcome(id = "granted, true", expect = ACCEPTABLE, desc = "too late: it had the lock")
    @Outcome(expect = FORBIDDEN, desc = "the lock is not free, or something is left behind")
    @State
    public static class CancelledElsewhere extends Promised {

        public CancelledElsewhere() {
            super(World.DEFAULTS, 2);
        }

        @Actor
        public void actor1() {
            release();
        }

        @Actor
        public void actor2(LZ_Result r) {
            r.r1 = cancel();
        }

        @Arbiter
        public void arbiter(LZ_Result r) {
            r.r2 = settle();
        }
    }

    /** The waiter's timeout ends at that moment. */
    @JCStressTest
    @Outcome(id = "timed out, true", expect = ACCEPTABLE, desc = "it has left the queue")
    @Outcome(id = "granted, true", expect = ACCEPTABLE, desc = "it was handed the lock in time")
    @Outcome(expect = FORBIDDEN, desc = "the lock is not free, or something is left behind")
    @State
    public static class TimedOut extends Held {

        private static final Duration PATIENCE = Duration.ofMillis(1);
        private final CompletableFuture<Optional<LockHandle>> waiter = other.tryAcquireAsync(PATIENCE);

        public TimedOut() {
            super(World.DEFAULTS, 1);
        }

        @Actor
        public void actor1() {
            release();
        }

        @Actor
        public void actor2() {
            world.time.pass(PATIENCE);
        }

        @Arbiter
        public void arbiter(LZ_Result r) {
            Optional<LockHandle> granted = world.outcome(waiter);
            granted.ifPresent(LockHandle::close);
            r.r1 = granted.isPresent() ? "granted" : "timed out";
            r.r2 = world.isFreeAndClean(lock);
        }
    }

    /** The waiter's thread is interrupted, and the lock is released right afterwards. */
    @JCStressTest
    @Outcome(id = "interrupted, true", expect = ACCEPTABLE, desc = "it has left the queue")
    @Outcome(id = "granted, true", expect = ACCEPTABLE, desc = "too late: it has the lock, and its interrupt status")
    @Outcome(expect = FORBIDDEN, desc = "the interrupt got lost, the lock is not free, or something is left behind")
    @State
    public static class Interrupted extends Held {

        private volatile @Nullable Thread waiter;

        public Interrupted() {
            super(World.DEFAULTS, 1);
        }

        @Actor
        public void actor1() {
            Thread target = waiter;
            while (target == null) {
                Thread.onSpinWait();
                target = waiter;
            }
            target.interrupt();
            release();
        }

        @Actor
        public void actor2(LZ_Result r) {
            waiter = Thread.currentThread();
            try {
                lock.lockInterruptibly();
                r.r1 = Thread.interrupted() ? "granted" : "granted without interrupt";
                lock.unlock();
            } catch (InterruptedException given) {
                r.r1 = Thread.interrupted() ? "interrupted twice" : "interrupted";
            }
        }

        @Arbiter
        public void arbiter(LZ_Result r) {
            r.r2 = world.isFreeAndClean(lock);
        }
    }
}
