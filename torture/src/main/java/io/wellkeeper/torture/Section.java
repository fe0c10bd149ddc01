package io.wellkeeper.torture;

import org.jspecify.annotations.Nullable;

/** One acquisition, from the events of its process. A time is {@link #NEVER} if the event did not happen. */
final class Section {

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /** A token that is not known. */
    static final long NO_TOKEN = -1;

    final int process;
    final long op;

    @Nullable
    String lock;

    int permits;
    long timeout = -1;
    long request = NEVER;
    long granted = NEVER;
    long token = NO_TOKEN;
    long interrupt = NEVER;
    long lastHeld = Long.MIN_VALUE; // the last time it was asked whether it held, and did
    long slowest; // how long the slowest of these answers took
    long slowestAsked = NEVER;
    long lost = NEVER;
    long release = NEVER;
    long released = NEVER;
    boolean releasedInTime;
    long refused = NEVER; // the first time the resource refused its write
    long over = NEVER; // when it ended without having been granted
    boolean gaveUp;
    String failure = ""; // the exception with which the request failed; empty if it did not

    Section(int process, long op) {
        this.process = process;
        this.op = op;
    }

    boolean isGranted() {
        return granted != NEVER;
    }

    /**
     * The last time for which it is proven that this held, or believed so. A release that told of no loss proves it,
     * and each answer that it holds, both for the time when the question was asked. If this is before the grant,
     * nothing is proven.
     */
    long heldUntil() {
        return releasedInTime ? Math.max(lastHeld, release) : lastHeld;
    }

    /** Whether it is proven that this held from its grant until {@link #heldUntil}. */
    boolean hasCore() {
        return isGranted() && heldUntil() >= granted;
    }

    /** When the holder was told that it had lost the lock. */
    long told() {
        return lost != NEVER || releasedInTime ? lost : released;
    }

    /** When the wait was over. */
    long waitedUntil() {
        return Math.min(granted, over);
    }

    @Override
    public String toString() {
        return process + "/" + op + (token == NO_TOKEN ? "" : " (token " + token + ")");
    }
}
