package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import io.wellkeeper.spi.Mode;

/** What one can have of a name. */
enum Side {
    LOCK(Want.LOCK, LockListener.Mode.LOCK),
    READ(Want.READ, LockListener.Mode.READ),
    WRITE(Want.WRITE, LockListener.Mode.WRITE),
    /** Permits of a semaphore: of each request, a want of its own. */
    PERMITS(Want.LOCK, LockListener.Mode.PERMITS),
    /** The lock, until the end of a lease: of each request, a want of its own. */
    LEASE(Want.LOCK, LockListener.Mode.LOCK);

    private final Want want;
    private final LockListener.Mode told;

    Side(Want want, LockListener.Mode told) {
        this.want = want;
        this.told = told;
    }

    /** What is wanted of the queue by those who share a ticket. */
    Want want() {
        return want;
    }

    /** What a listener of the user's is told. */
    LockListener.Mode told() {
        return told;
    }

    /** Whether those of one client who want it share an attempt, and what it brings. */
    boolean isShared() {
        return this != PERMITS && this != LEASE;
    }

    /** A name, and what of it. */
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

    /** Whether both may be in at once. */
    boolean tolerates(Side other) {
        return switch (this) {
            case READ -> other == READ;
            case PERMITS -> other == PERMITS;
            case LOCK, WRITE, LEASE -> false;
        };
    }

    /** Whether one ticket passes from thread to thread, rather than being used by many at once, or by one only. */
    boolean isHandedOver() {
        return this == LOCK || this == WRITE;
    }
}
