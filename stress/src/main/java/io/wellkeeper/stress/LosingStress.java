package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.openjdk.jcstress.infra.results.LIZ_Result;
import org.openjdk.jcstress.infra.results.LLZ_Result;

/** A lock is lost at the moment at which it is released. */
final class LosingStress {

    private LosingStress() {}

    private static String release(LockHandle handle) {
        try {
            handle.close();
            return "released";
        } catch (LockLostException gone) {
            return "lost";
        }
    }

    /** A handle with a callback for its loss. */
    abstract static class Watched {

        final World world = new World(World.DEFAULTS);
        final DistributedLock lock = world.lock();
        final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final AtomicInteger told = new AtomicInteger();

        Watched() {
            handle.onLost(told::incrementAndGet);
        }

        void report(LIZ_Result r) {
            world.callbacks.run();
            r.r2 = told.get();
            boolean one = world.events.lost() == r.r2 && world.events.released() == 1 - r.r2;
            r.r3 = one && world.isFreeAndClean(lock);
        }
    }

    /** The store ends the session. */
    @JCStressTest
    @Outcome(id = "released, 0, true", expect = ACCEPTABLE, desc = "released in time; nobody is told of a loss")
    @Outcome(id = "lost, 1, true", expect = ACCEPTABLE, desc = "lost; told once")
    @Outcome(expect = FORBIDDEN, desc = "both or neither, told wrongly, or nothing can be acquired any more")
    @State
    public static class SessionEnds extends Watched {

        @Actor
        public void actor1(LIZ_Result r) {
            r.r1 = release(handle);
        }

        @Actor
        public void actor2() {
            world.store.expireSessions();
        }

        @Arbiter
        public void arbiter(LIZ_Result r) {
            report(r);
        }
    }

    /** An operator removes the ticket from the store. */
    @JCStressTest
    @Outcome(id = "released, 0, true", expect = ACCEPTABLE, desc = "released in time; nobody is told of a loss")
    @Outcome(id = "lost, 1, true", expect = ACCEPTABLE, desc = "lost; told once")
    @Outcome(expect = FORBIDDEN, desc = "both or neither, told wrongly, or nothing can be acquired any more")
    @State
    public static class TicketRemoved extends Watched {

        public TicketRemoved() {
            world.beat(); // from now on the ticket is watched
        }

        @Actor
        public void actor1(LIZ_Result r) {
            r.r1 = release(handle);
        }

        @Actor
        public void actor2() {
            world.store.evictFirst(World.NAME);
        }

        @Arbiter
        public void arbiter(LIZ_Result r) {
            report(r);
        }
    }

    /** A waiter gets the lock, by a hand-over or by the next session. */
    @JCStressTest
    @Outcome(
            id = "released, held, true",
            expect = ACCEPTABLE,
            desc = "handed over or given back; waited on by the next session")
    @Outcome(id = "released, lost, true", expect = ACCEPTABLE, desc = "handed over, and then lost")
    @Outcome(id = "lost, held, true", expect = ACCEPTABLE, desc = "lost first; the waiter has it by the next session")
    @Outcome(expect = FORBIDDEN, desc = "the waiter is forgotten, or something is left behind")
    @State
    public static class WhileHandingOver {

        private final World world = new World(World.DEFAULTS);
        private final DistributedLock lock = world.lock();
        private final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final CompletableFuture<LockHandle> waiter = lock.acquireAsync();

        @Actor
        public void actor1(LLZ_Result r) {
            r.r1 = release(handle);
        }

        @Actor
        public void actor2() {
            world.store.expireSessions();
        }

        @Arbiter
        public void arbiter(LLZ_Result r) {
            LockHandle granted = world.outcome(waiter);
            boolean held = granted.isHeld();
            boolean released = release(granted).equals("released");
            r.r2 = held ? "held" : "lost";
            r.r3 = held == released && world.isFreeAndClean(lock);
        }
    }

    /** A thread locks, may be told of a loss, unlocks, and locks again. */
    @JCStressTest
    @Outcome(id = "0, true", expect = ACCEPTABLE, desc = "not lost, or before it could register")
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "lost while it was in; told once")
    @Outcome(expect = FORBIDDEN, desc = "told wrongly, or the thread cannot acquire it any more")
    @State
    public static class ThreadInside {

        private final World world = new World(World.DEFAULTS);
        private final DistributedLock lock = world.lock();
        private final AtomicInteger told = new AtomicInteger();
        private int expected;
        private boolean gone;
        private boolean agrees = true;

        @Actor
        public void actor1() {
            lock.lock();
            boolean nested = use(lock::lock);
            boolean registered = use(() -> lock.onLost(told::incrementAndGet));
            Thread.yield();
            if (nested) {
                use(lock::unlock);
            }
            boolean lost = !use(lock::unlock);
            expected = registered && lost ? 1 : 0;
            agrees &= lock.getHoldCount() == 0 && lock.tryLock();
            gone = false;
            use(lock::unlock);
        }

        /** Whether the lock is held. Once it is not, it must never be held again. */
        private boolean use(Runnable use) {
            boolean held = true;
            try {
                use.run();
            } catch (LockLostException lost) {
                held = false;
            }
            agrees &= !(gone && held);
            gone |= !held;
            return held;
        }

        @Actor
        public void actor2() {
            world.store.expireSessions();
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            world.callbacks.run();
            r.r1 = told.get();
            r.r2 = agrees && r.r1 == expected && world.isFreeAndClean(lock);
        }
    }

    /** Several callbacks for the loss are registered at that moment. */
    @JCStressTest
    @Outcome(id = "20, true", expect = ACCEPTABLE, desc = "each is told once, whichever came first")
    @Outcome(expect = FORBIDDEN, desc = "one was not told, or twice")
    @State
    public static class RegisteredMeanwhile {

        private final World world = new World(World.DEFAULTS);
        private final DistributedLock lock = world.lock();
        private final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final AtomicInteger told = new AtomicInteger();

        @Actor
        public void actor1() {
            for (int i = 0; i < 20; i++) {
                handle.onLost(told::incrementAndGet);
            }
        }

        @Actor
        public void actor2() {
            world.store.expireSessions();
        }

        @Arbiter
        public void arbiter(IZ_Result r) {
            world.callbacks.run();
            r.r1 = told.get();
            r.r2 = world.isFreeAndClean(lock);
        }
    }
}
