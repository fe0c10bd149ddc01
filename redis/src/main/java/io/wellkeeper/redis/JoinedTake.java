package io.wellkeeper.redis;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The take that is carried out together with the removal before it. A client that gives a lock back often asks for the
 * same lock at once. As long as the removal has not been written to the connection, the take can join it. Both are then
 * one call of the take's script, which removes the one ticket and draws the other, and costs the server one request
 * instead of two.
 */
final class JoinedTake {

    private final AtomicReference<@Nullable Optional<OpenRequest>> joined = new AtomicReference<>();

    /** {@return whether the take joins; false if another one has joined, or none can join any more} */
    boolean join(OpenRequest take) {
        return joined.compareAndSet(null, Optional.of(take));
    }

    /** The take that has joined so far. */
    Optional<OpenRequest> soFar() {
        Optional<OpenRequest> now = joined.get();
        return now == null ? Optional.empty() : now;
    }

    /** The take that has joined; from now on none can. */
    Optional<OpenRequest> forGood() {
        joined.compareAndSet(null, Optional.empty());
        return soFar();
    }
}
