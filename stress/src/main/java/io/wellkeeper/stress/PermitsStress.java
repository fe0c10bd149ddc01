package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Permits;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Threads that share permits. */
final class PermitsStress {

    private PermitsStress() {}

    /** A semaphore, and how many of its permits are in use. */
    abstract static class Counted {

        private final int permits;
        final World world = new World(World.DEFAULTS);
        final DistributedSemaphore semaphore;
        private final AtomicInteger inUse = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        Counted(int permits) {
            this.permits = permits;
            this.semaphore = world.client().semaphore(World.NAME, permits);
        }

        void use(int more) {
            most.accumulateAndGet(inUse.addAndGet(more), Math::max);
        }

        Permits acquire(int more) {
            Permits acquired;
            try {
                acquired = semaphore.acquire(more);
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
            use(more);
            return acquired;
        }

        void release(Permits held, int fewer) {
            use(-fewer);
            held.release(fewer);
        }

        int mostInUse() {
            return most.get();
        }

        boolean isFreeAndClean() {
            if (world.leftovers() != 0) {
                return false;
            }
            Optional<Permits> all = semaphore.tryAcquire(permits);
            all.ifPresent(Permits::close);
            return all.isPresent() && world.leftovers() == 0;
        }
    }

    /** One permit for two threads, by handles: a mutex. */
    @JCStressTest
    @Outcome(id = "2, true", expect = ACCEPTABLE, desc = "one at a time")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or something is left behind")
    @State
    public static class OnePermit extends Counted {

        private final Counter counter = new Counter();

        public OnePermit() {
            super(1);
        }

        private void count() {
            try (LockHandle handle = semaphore.acquire()) {
                counter.count();
                handle.checkHeld();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }

        @Actor
        public void actor1() {
            count();
        }

        @Actor
        public void actor2() {
            count();
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            r.r1 = counter.value();
            r.r2 = isFreeAndClean();
        }
    }

    /** Two permits for three acquisitions. One of them wants both permits, and gives them back one by one. */
    @JCStressTest
    @Outcome(id = "2, 1, true", expect = ACCEPTABLE, desc = "two in use at most; the try failed")
    @Outcome(id = "2, 2, true", expect = ACCEPTABLE, desc = "two in use at most; the try succeeded")
    @Outcome(expect = FORBIDDEN, desc = "more in use than there are, or something is left behind")
    @State
    public static class TwoPermits extends Counted {

        public TwoPermits() {
            super(2);
        }

        @Actor
        public void actor1(IIZ_Result r) {
            Permits one = acquire(1);
            r.r2 = 1;
            semaphore.tryAcquire().ifPresent(another -> {
                use(1);
                r.r2 = 2;
                release(another, 1);
            });
            release(one, 1);
        }

        @Actor
        public void actor2() {
            Permits both = acquire(2);
            release(both, 1);
            release(both, 1);
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r1 = mostInUse();
            r.r3 = isFreeAndClean();
        }
    }

    /** Two threads give back one permit. */
    @JCStressTest
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "given back once")
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "given back once")
    @Outcome(expect = FORBIDDEN, desc = "given back twice or not at all, or something is left behind")
    @State
    public static class ReleasedTwice extends Counted {

        private final Permits held;

        public ReleasedTwice() {
            super(1);
            held = acquire(1);
        }

        private int releaseOnce() {
            try {
                held.release(1);
                return 1;
            } catch (IllegalMonitorStateException nothing) {
                return 0;
            }
        }

        @Actor
        public void actor1(IIZ_Result r) {
            r.r1 = releaseOnce();
        }

        @Actor
        public void actor2(IIZ_Result r) {
            r.r2 = releaseOnce();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = isFreeAndClean();
        }
    }
}
