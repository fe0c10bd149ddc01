package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who has come for a lock with a thread of its own.
 *
 * @param in done when it has the lock
 */
record Visitor(Actor actor, DistributedLock lock, Future<@Nullable Void> in) {

    void awaitIn() {
        Await.result(in);
    }

    /** Whether it is inside, for certain. */
    boolean isInside() {
        return in.isDone() && actor.call(lock::isHeldByCurrentThread);
    }

    long token() {
        return actor.call(lock::fencingToken);
    }

    void leave() {
        actor.run(lock::unlock);
    }

    /** Waits until it is inside, and lets it leave. */
    void visit() {
        awaitIn();
        leave();
    }
}
