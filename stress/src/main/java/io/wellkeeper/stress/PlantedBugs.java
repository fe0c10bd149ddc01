package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Tests that must fail, to show that failures are noticed. They are not part of a usual run. */
final class PlantedBugs {

    private PlantedBugs() {}

    /** Two threads count under a lock that does not exclude. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "by chance")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once")
    @State
    public static class NoLock {

        private final Counter counter = new Counter();

        @Actor
        public void actor1() {
            counter.count();
        }

        @Actor
        public void actor2() {
            counter.count();
        }

        @Arbiter
        public void arbiter(I_Result r) {
            r.r1 = counter.value();
        }
    }

    /** The store hides the other tickets of a queue. */
    @JCStressTest
    @Outcome(id = "2, true", expect = ACCEPTABLE, desc = "by chance")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once")
    @State
    public static class BlindStore {

        private final World world = new World(World.OWN_NUMBERS);
        private final DistributedLock lock = world.lock();
        private final DistributedLock other = world.lock();
        private final Counter counter = new Counter();

        public BlindStore() {
            world.store.blind();
        }

        private void countOnce(DistributedLock used) {
            used.lock();
            counter.count();
            used.unlock();
        }

        @Actor
        public void actor1() {
            countOnce(lock);
        }

        @Actor
        public void actor2() {
            countOnce(other);
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            r.r1 = counter.value();
            r.r2 = world.isFreeAndClean(lock);
        }
    }

    /** A thread forgets to release its lock. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "by chance")
    @Outcome(expect = FORBIDDEN, desc = "something is left behind")
    @State
    public static class Forgetful {

        private final World world = new World(World.DEFAULTS);
        private final DistributedLock lock = world.lock();
        private final LockHandle handle = lock.tryAcquire().orElseThrow();

        @Actor
        public void actor1() {
            lock.tryLock();
        }

        @Actor
        public void actor2() {
            handle.close();
        }

        @Arbiter
        public void arbiter(Z_Result r) {
            r.r1 = world.isFreeAndClean(lock);
        }
    }
}
