package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import io.wellkeeper.spi.Mode;

/** The kinds of holds that a client can have of a name. */
enum Side {
    LOCK(Want.LOCK, LockListener.Mode.LOCK),
    READ(Want.READ, LockListener.Mode.READ),
    WRITE(Want.WRITE, LockListener.Mode.WRITE),
    /** Permits of a semaphore. Each request has a {@link Want} of its own. */
    PERMITS(Want.LOCK, LockListener.Mode.PERMITS),
    /** The lock until the end of a lease. Each request has a {@link Want} of its own. */
    LEASE(Want.LOCK, LockListener.Mode.LOCK);

    private final Want want;
    private final LockListener.Mode told;

    Side(Want want, LockListener.Mode told) {
        this.want = want;
        this.told = told;
    }

    /** What the requests that share a ticket want of the queue. */
    Want want() {
        return want;
    }

    /** The mode as the user's listeners are told of it. */
    LockListener.Mode told() {
        return told;
    }

    /** Whether the requests of one client for this side share an attempt, and the ticket that it gets. */
    boolean isShared() {
        return this != PERMITS && this != LEASE;
    }

    /** The name as messages show it, with the side of a read-write lock. */
    String of(String name) {
        return switch (this) {
            case READ -> "read lock of " + name;
            case WRITE -> "write lock of " + name;
            case LOCK, PERMITS, LEASE -> name;
        };
    }

    Mode mode() {
        return want.mode();
    }

    /** Whether a hold of this side and one of the other may be in at once. */
    boolean tolerates(Side other) {
        return switch (this) {
            case READ -> other == READ;
            case PERMITS -> other == PERMITS;
            case LOCK, WRITE, LEASE -> false;
        };
    }

    /** Whether one ticket passes from thread to thread, instead of serving many threads at once or one hold only. */
    boolean isHandedOver() {
        return this == LOCK || this == WRITE;
    }
}
