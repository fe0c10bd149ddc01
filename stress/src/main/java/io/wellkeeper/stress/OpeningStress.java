package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** Threads that wait for a latch, while something else happens to their wait. */
final class OpeningStress {

    private OpeningStress() {}

    /** The store's first answer, that the latch is open, comes at the moment of the timeout. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "found open")
    @Outcome(expect = FORBIDDEN, desc = "not found open though it is, or something is left behind")
    @State
    public static class TimeIsUp {

        private static final Duration TIME = Duration.ofMinutes(1);

        private final World world = new World(World.DEFAULTS);
        private final CompletableFuture<Boolean> waiting;

        public TimeIsUp() {
            world.store.holdNotices();
            waiting = world.client().latch(World.NAME).awaitAsync(TIME);
        }

        @Actor
        public void actor1() {
            world.store.showNotices();
        }

        @Actor
        public void actor2() {
            world.time.pass(TIME);
        }

        @Arbiter
        public void arbiter(ZI_Result r) {
            r.r1 = world.outcome(waiting);
            r.r2 = world.leftovers();
        }
    }
}
