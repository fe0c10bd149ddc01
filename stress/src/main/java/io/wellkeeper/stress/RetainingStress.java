package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** A ticket that its client retains after use. */
final class RetainingStress {

    private RetainingStress() {}

    /** Two threads of the client use the ticket. */
    @JCStressTest
    @Outcome(id = "4, 1", expect = ACCEPTABLE, desc = "one at a time; the ticket stays")
    @Outcome(expect = FORBIDDEN, desc = "two were in at once, or there is more or less than the one ticket")
    @State
    public static class OneClient {

        private final World world = new World(World.RETAINED);
        private final DistributedLock lock = world.lock();
        private final Counter counter = new Counter();

        private void countTwice() {
            for (int i = 0; i < 2; i++) {
                lock.lock();
                counter.count();
                lock.unlock();
            }
        }

        @Actor
        public void actor1() {
            countTwice();
        }

        @Actor
        public void actor2() {
            countTwice();
        }

        @Arbiter
        public void arbiter(II_Result r) {
            r.r1 = counter.value();
            r.r2 = world.leftovers();
        }
    }

    /** Another client comes while the ticket is used again, or is about to be. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "used again; the newcomer gets in all the same")
    @Outcome(id = "0, true", expect = ACCEPTABLE, desc = "the newcomer was faster")
    @Outcome(expect = FORBIDDEN, desc = "the newcomer is forgotten, or something is left behind")
    @State
    public static class Newcomer {

        private final World world = new World(World.RETAINED);
        private final LockClient client = world.client();
        private final DistributedLock lock = client.lock(World.NAME);
        private final LockClient other = world.client();
        private final CompletableFuture<CompletableFuture<LockHandle>> newcomer = new CompletableFuture<>();
        private final Counter counter = new Counter();

        public Newcomer() {
            lock.lock();
            lock.unlock();
        }

        @Actor
        public void actor1() {
            if (lock.tryLock()) {
                counter.count();
                lock.unlock();
            }
        }

        @Actor
        public void actor2() {
            newcomer.complete(other.lock(World.NAME).acquireAsync());
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            world.outcome(world.outcome(newcomer)).close();
            r.r1 = counter.value();
            client.close();
            other.close();
            r.r2 = world.leftovers() == 0 && world.store.sessions() == 0;
        }
    }
}
