package io.wellkeeper.storekit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A resource that a lock protects: it notices when two holders use it at once, and when a token does not grow. */
final class ProtectedResource {

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger visits = new AtomicInteger();
    private final AtomicLong lastToken = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    /** A visit by a holder whose store has no token. */
    void visit() {
        if (inside.incrementAndGet() != 1) {
            wrong.add("two inside at once");
        }
        Thread.yield();
        inside.decrementAndGet();
        visits.incrementAndGet();
    }

    void visit(long token) {
        long former = lastToken.getAndSet(token);
        if (former >= token) {
            wrong.add("token " + token + " after " + former);
        }
        visit();
    }

    int visits() {
        return visits.get();
    }

    List<String> wrong() {
        return new ArrayList<>(wrong);
    }
}
