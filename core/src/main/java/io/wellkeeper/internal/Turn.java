package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import java.util.OptionalLong;

/**
 * The use that the threads of one client make of one grant, one after another. Guarded by the gate's monitor, but for
 * what is final.
 *
 * <p>The bound on hand-overs counts while somebody else waits or may be waiting; once it is known that nobody does, the
 * family may drink on until somebody comes.
 */
final class Turn {

    private enum Others {
        UNKNOWN,
        NONE,
        WAITING
    }

    private static final int TOKEN_BITS = 6;
    private static final int TOKENS = 1 << TOKEN_BITS;

    private final Grant grant;
    private long since; // the grant's beginning, or the newcomer's arrival
    private int handOvers;
    private int tokens; // how many fencing tokens have been read
    private Others others = Others.UNKNOWN;
    private boolean asked;

    Turn(Grant grant, long now) {
        this.grant = grant;
        this.since = now;
    }

    Grant grant() {
        return grant;
    }

    /** Whether one more thread may have it without the store being asked. */
    boolean mayHandOver(LockOptions options, long now) {
        return usable()
                && (others == Others.NONE
                        || (handOvers < options.handOvers()
                                && now - since < options.handOverTime().toNanos()));
    }

    void handedOver() {
        if (others != Others.NONE) {
            handOvers++;
        }
    }

    /** Whether it may be kept while nobody in this client wants it; the bound counts until others are known not to wait. */
    boolean mayRetain(LockOptions options, long now) {
        return others != Others.WAITING && mayHandOver(options, now);
    }

    private boolean usable() {
        return tokens < TOKENS && grant.valid();
    }

    /** True once: whether others wait is worth a question now. */
    boolean beginAsking() {
        boolean first = !asked;
        asked = true;
        return first;
    }

    void answered(boolean alone) {
        if (others == Others.UNKNOWN) {
            others = alone ? Others.NONE : Others.WAITING;
        }
    }

    /** Somebody else has come: from now on the bound counts. */
    void arrived(long now) {
        others = Others.WAITING;
        handOvers = 0;
        since = now;
    }

    boolean othersWait() {
        return others == Others.WAITING;
    }

    /**
     * A fencing token larger than every one that was read before. A token that nobody reads costs none of the 64 that
     * one ticket has.
     *
     * @return empty if the store has no honest one
     */
    OptionalLong nextToken() {
        OptionalLong base = grant.token();
        return base.isEmpty() ? base : OptionalLong.of((base.getAsLong() << TOKEN_BITS) | tokens++);
    }
}
