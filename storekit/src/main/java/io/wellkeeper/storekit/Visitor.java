package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for a lock.
 *
 * @param in completed when the thread has the lock
 */
record Visitor(Actor actor, DistributedLock lock, Future<@Nullable Void> in) {

    void awaitIn() {
        Await.result(in);
    }

    /** Whether the thread certainly holds the lock. */
    boolean isInside() {
        return in.isDone() && actor.call(lock::isHeldByCurrentThread);
    }

    long token() {
        return actor.call(lock::fencingToken);
    }

    void leave() {
        actor.run(lock::unlock);
    }

    /** Waits until the thread has the lock, and lets it release the lock. */
    void visit() {
        awaitIn();
        leave();
    }
}
