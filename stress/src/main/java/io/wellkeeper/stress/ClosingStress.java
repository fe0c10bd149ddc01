package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.LI_Result;

/** A handle, or the whole client, is closed while it is in use. */
final class ClosingStress {

    private ClosingStress() {}

    /** Two threads close one handle: it is released once, and one of two waiters gets in. */
    @JCStressTest
    @Outcome(id = "1, 1, true", expect = ACCEPTABLE, desc = "released once, to one waiter")
    @Outcome(expect = FORBIDDEN, desc = "released twice or not at all, or something is left behind")
    @State
    public static class HandleTwice {

        private final World world = new World(World.DEFAULTS);
        private final DistributedLock lock = world.lock();
        private final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final CompletableFuture<LockHandle> first = lock.acquireAsync();
        private final CompletableFuture<LockHandle> second = lock.acquireAsync();

        @Actor
        public void actor1() {
            handle.close();
        }

        @Actor
        public void actor2() {
            handle.close();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            world.callbacks.run();
            r.r1 = (first.isDone() ? 1 : 0) + (second.isDone() ? 1 : 0);
            r.r2 = world.events.released();
            world.outcome(first).close();
            world.outcome(second).close();
            r.r3 = world.isFreeAndClean(lock);
        }
    }

    /** A thread locks a free lock. */
    @JCStressTest
    @Outcome(id = "unlocked, 0", expect = ACCEPTABLE, desc = "it was faster")
    @Outcome(id = "lost, 0", expect = ACCEPTABLE, desc = "it was in")
    @Outcome(id = "closed, 0", expect = ACCEPTABLE, desc = "it was too late")
    @Outcome(expect = FORBIDDEN, desc = "something is left behind")
    @State
    public static class ClientWhileLocking {

        private final World world = new World(World.DEFAULTS);
        private final LockClient client = world.client();
        private final DistributedLock lock = client.lock(World.NAME);

        @Actor
        public void actor1(LI_Result r) {
            try {
                lock.lock();
                lock.unlock();
                r.r1 = "unlocked";
            } catch (LockLostException lost) {
                r.r1 = "lost";
            } catch (LockClientClosedException closed) {
                r.r1 = "closed";
            }
        }

        @Actor
        public void actor2() {
            client.close();
        }

        @Arbiter
        public void arbiter(LI_Result r) {
            r.r2 = world.leftovers() + world.store.sessions();
        }
    }

    /** A thread comes to wait for a lock that is held. */
    @JCStressTest
    @Outcome(id = "closed, 0", expect = ACCEPTABLE, desc = "the waiter is told")
    @Outcome(expect = FORBIDDEN, desc = "the waiter got in, or something is left behind")
    @State
    public static class ClientWhileWaiting {

        private final World world = new World(World.DEFAULTS);
        private final LockClient client = world.client();
        private final DistributedLock lock = client.lock(World.NAME);
        private final LockHandle handle = lock.tryAcquire().orElseThrow();

        @Actor
        public void actor1(LI_Result r) {
            try {
                lock.lock();
                r.r1 = "locked";
            } catch (LockClientClosedException closed) {
                r.r1 = "closed";
            }
        }

        @Actor
        public void actor2() {
            client.close();
        }

        @Arbiter
        public void arbiter(LI_Result r) {
            r.r2 = world.leftovers() + world.store.sessions() + (handle.isHeld() ? 1 : 0);
        }
    }

    /** The handle is closed too, while a waiter waits. */
    @JCStressTest
    @Outcome(id = "closed, 0", expect = ACCEPTABLE, desc = "the client was faster")
    @Outcome(id = "granted, 0", expect = ACCEPTABLE, desc = "the handle was faster")
    @Outcome(expect = FORBIDDEN, desc = "the waiter still has it, or something is left behind")
    @State
    public static class ClientWhileHandingOver {

        private final World world = new World(World.DEFAULTS);
        private final LockClient client = world.client();
        private final DistributedLock lock = client.lock(World.NAME);
        private final LockHandle handle = lock.tryAcquire().orElseThrow();
        private final CompletableFuture<LockHandle> waiter = lock.acquireAsync();

        @Actor
        public void actor1() {
            try {
                handle.close();
            } catch (LockLostException closed) {
                // the client was faster
            }
        }

        @Actor
        public void actor2() {
            client.close();
        }

        @Arbiter
        public void arbiter(LI_Result r) {
            world.callbacks.run();
            r.r1 = waiter.handle(
                            (granted, failure) -> granted == null ? "closed" : granted.isHeld() ? "held" : "granted")
                    .getNow("forgotten");
            r.r2 = world.leftovers() + world.store.sessions();
        }
    }
}
