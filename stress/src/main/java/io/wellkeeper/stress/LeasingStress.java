package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.LI_Result;

/** Clients of leases over a store that only grants or refuses, but gives hints. */
final class LeasingStress {

    private LeasingStress() {}

    /** Two clients. */
    abstract static class Simple {

        private final World world = new World(World.DEFAULTS);
        final DirectLeases leases = new DirectLeases();
        final DistributedLock lock = lock();
        final DistributedLock other = lock();

        private DistributedLock lock() {
            return LeaseClient.over(leases, world.options()).lock(World.NAME);
        }

        void runCallbacks() {
            world.callbacks.run();
        }
    }

    /** Both clients count under the lock, and wait for the hint that the other one has released. */
    @JCStressTest
    @Outcome(id = "4, 0", expect = ACCEPTABLE, desc = "one at a time")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or something is left behind")
    @State
    public static class Counting extends Simple {

        private final Counter counter = new Counter();

        private void countTwice(DistributedLock used) {
            for (int i = 0; i < 2; i++) {
                used.lock();
                counter.count();
                used.unlock();
            }
        }

        @Actor
        public void actor1() {
            countTwice(lock);
        }

        @Actor
        public void actor2() {
            countTwice(other);
        }

        @Arbiter
        public void arbiter(II_Result r) {
            r.r1 = counter.value();
            r.r2 = leases.leftovers();
        }
    }

    /** The hint comes when the waiter gives up. */
    @JCStressTest
    @Outcome(id = "cancelled, 0", expect = ACCEPTABLE, desc = "cancelled in time")
    @Outcome(id = "granted, 0", expect = ACCEPTABLE, desc = "too late: it had the lock")
    @Outcome(expect = FORBIDDEN, desc = "something is left behind")
    @State
    public static class Cancelled extends Simple {

        private final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final CompletableFuture<LockHandle> waiter = other.acquireAsync();

        @Actor
        public void actor1() {
            handle.close();
            runCallbacks();
        }

        @Actor
        public void actor2(LI_Result r) {
            r.r1 = waiter.cancel(false) ? "cancelled" : "granted";
        }

        @Arbiter
        public void arbiter(LI_Result r) {
            runCallbacks();
            if (!waiter.isCancelled()) {
                waiter.join().close();
            }
            r.r2 = leases.leftovers();
        }
    }
}
