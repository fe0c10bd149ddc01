package io.wellkeeper.torture;

import org.jspecify.annotations.Nullable;

/** One acquisition and what became of it, as its process wrote it down. A time of {@link #NEVER} did not come. */
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
    long lastHeld = Long.MIN_VALUE; // the last time it was asked, and did hold
    long slowest; // how long the slowest of these answers took
    long slowestAsked = NEVER;
    long lost = NEVER;
    long release = NEVER;
    long released = NEVER;
    boolean releasedInTime;
    long refused = NEVER; // the first time the resource refused it
    long over = NEVER; // without having been granted
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
     * The last time for which it is proven that it held, or thought so: a release that told of no loss, and every answer
     * that it holds, was true when the question was asked. It may be before it was granted: then nothing is proven.
     */
    long heldUntil() {
        return releasedInTime ? Math.max(lastHeld, release) : lastHeld;
    }

    /** Whether it is proven that it held from when it was granted until {@link #heldUntil}. */
    boolean hasCore() {
        return isGranted() && heldUntil() >= granted;
    }

    /** When it was told that it had lost the lock. */
    long told() {
        return lost != NEVER || releasedInTime ? lost : released;
    }

    /** When its wait was over. */
    long waitedUntil() {
        return Math.min(granted, over);
    }

    @Override
    public String toString() {
        return process + "/" + op + (token == NO_TOKEN ? "" : " (token " + token + ")");
    }
}
