package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Threads that count under the lock: mutual exclusion, and each thread sees what earlier holders have written. */
final class CountingStress {

    private CountingStress() {}

    /** Counts in a plain field. */
    abstract static class Counting {

        final World world;
        private final Counter counter = new Counter();

        Counting(LockOptions locks) {
            world = new World(locks);
        }

        void countTwice(DistributedLock lock) {
            for (int i = 0; i < 2; i++) {
                lock.lock();
                lock.lock();
                counter.count();
                lock.unlock();
                lock.unlock();
            }
        }

        void report(IZ_Result r, DistributedLock lock) {
            r.r1 = counter.value();
            r.r2 = world.isFreeAndClean(lock);
        }
    }

    /** The threads hand one ticket over among themselves. */
    @JCStressTest
    @Outcome(id = "4, true", expect = ACCEPTABLE, desc = "one at a time")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or something is left behind")
    @State
    public static class HandedOver extends Counting {

        private final DistributedLock lock = world.lock();

        public HandedOver() {
            super(World.DEFAULTS);
        }

        /** Counts. */
        @Actor
        public void actor1() {
            countTwice(lock);
        }

        /** Counts. */
        @Actor
        public void actor2() {
            countTwice(lock);
        }

        /** Looks. */
        @Arbiter
        public void arbiter(IZ_Result r) {
            report(r, lock);
        }
    }

    /** Each thread takes a ticket of its own. */
    @JCStressTest
    @Outcome(id = "4, true", expect = ACCEPTABLE, desc = "one at a time")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or something is left behind")
    @State
    public static class OwnNumbers extends Counting {

        private final DistributedLock lock = world.lock();

        public OwnNumbers() {
            super(World.OWN_NUMBERS);
        }

        /** Counts. */
        @Actor
        public void actor1() {
            countTwice(lock);
        }

        /** Counts. */
        @Actor
        public void actor2() {
            countTwice(lock);
        }

        /** Looks. */
        @Arbiter
        public void arbiter(IZ_Result r) {
            report(r, lock);
        }
    }

    /** The threads belong to different clients. */
    @JCStressTest
    @Outcome(id = "4, true", expect = ACCEPTABLE, desc = "one at a time")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or something is left behind")
    @State
    public static class TwoClients extends Counting {

        private final DistributedLock lock = world.lock();
        private final DistributedLock other = world.lock();

        public TwoClients() {
            super(World.DEFAULTS);
        }

        /** Counts. */
        @Actor
        public void actor1() {
            countTwice(lock);
        }

        /** Counts. */
        @Actor
        public void actor2() {
            countTwice(other);
        }

        /** Looks. */
        @Arbiter
        public void arbiter(IZ_Result r) {
            report(r, lock);
        }
    }
}
