package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** Threads that try at the same moment. */
final class TryingStress {

    private TryingStress() {}

    /** Each thread that gets the lock notes its place, and whether its token is the largest so far. */
    abstract static class Trying {

        final World world = new World(World.DEFAULTS);
        private int entered;
        private int inside;
        private long largest = -1;

        /**
         * The place among the holders; 0 if refused, negative if there was another holder or the token does not grow.
         */
        int tryOnce(DistributedLock lock) {
            if (!lock.tryLock()) {
                return 0;
            }
            int place = ++entered;
            boolean alone = ++inside == 1;
            long token = lock.fencingToken();
            boolean grows = token > largest;
            largest = token;
            inside--;
            lock.unlock();
            return alone && grows ? place : -place;
        }
    }

    /** Two threads of one client. */
    @JCStressTest
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "the first came in, the other was refused")
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "the second came in, the other was refused")
    @Outcome(id = "1, 2, true", expect = ACCEPTABLE, desc = "one after the other, tokens growing")
    @Outcome(id = "2, 1, true", expect = ACCEPTABLE, desc = "one after the other, tokens growing")
    @Outcome(expect = FORBIDDEN, desc = "both in, both refused, tokens out of order, or something is left behind")
    @State
    public static class OneClient extends Trying {

        private final DistributedLock lock = world.lock();

        @Actor
        public void actor1(IIZ_Result r) {
            r.r1 = tryOnce(lock);
        }

        @Actor
        public void actor2(IIZ_Result r) {
            r.r2 = tryOnce(lock);
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = world.isFreeAndClean(lock);
        }
    }

    /** Two clients, whose tickets stand in one queue. */
    @JCStressTest
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "the first came in, the other was refused")
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "the second came in, the other was refused")
    @Outcome(id = "1, 2, true", expect = ACCEPTABLE, desc = "one after the other, tokens growing")
    @Outcome(id = "2, 1, true", expect = ACCEPTABLE, desc = "one after the other, tokens growing")
    @Outcome(expect = FORBIDDEN, desc = "both in, both refused, tokens out of order, or something is left behind")
    @State
    public static class TwoClients extends Trying {

        private final DistributedLock lock = world.lock();
        private final DistributedLock other = world.lock();

        @Actor
        public void actor1(IIZ_Result r) {
            r.r1 = tryOnce(lock);
        }

        @Actor
        public void actor2(IIZ_Result r) {
            r.r2 = tryOnce(other);
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = world.isFreeAndClean(lock);
        }
    }
}
