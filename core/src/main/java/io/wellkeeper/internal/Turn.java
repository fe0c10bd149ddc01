package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How the threads of one client use one grant: one thread after another, or many at once for a read lock. Guarded by
 * the gate's monitor, except for the grant, which is final.
 *
 * <p>The bound on hand-overs counts while others wait or may be waiting. Once it is known that nobody else waits, the
 * threads of this client may hand the grant over without this bound, until somebody else comes.
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
    private final Set<Hold> holds = new LinkedHashSet<>();
    private Side side;
    private boolean fresh = true; // no hold has used the grant yet
    private long since; // when the grant began, or when somebody else came later
    private int handOvers;
    private int tokens; // how many fencing tokens have been drawn
    private boolean drawn; // whether the present holder, or else the last one, has a fencing token
    private Others others = Others.UNKNOWN;
    private boolean asked;
    private boolean last; // the present hold is the last one of this grant

    Turn(Grant grant, Side side, long now) {
        this.grant = grant;
        this.side = side;
        this.since = now;
    }

    Grant grant() {
        return grant;
    }

    Side side() {
        return side;
    }

    List<Hold> holds() {
        return List.copyOf(holds);
    }

    /** @return whether this is the first hold that ever used the grant */
    boolean add(Hold hold) {
        holds.add(hold);
        if (side.isHandedOver() && hold.side() == side) {
            drawn = false;
        }
        boolean first = fresh;
        fresh = false;
        return first;
    }

    void remove(Hold hold) {
        holds.remove(hold);
    }

    /** Whether no hold uses the grant. */
    boolean isIdle() {
        return holds.isEmpty();
    }

    /**
     * Whether the grant will be handed over or given back, so that a request for this side need not take a number yet.
     */
    boolean serves(Side wanted) {
        return side == wanted && wanted.isHandedOver() && !holds.isEmpty();
    }

    /**
     * The strongest side that is still in use becomes the side of this turn.
     *
     * @return whether it is milder than the side before
     */
    boolean soften() {
        if (holds.stream().anyMatch(hold -> hold.side() == side)) { // mostly the first, however many there are
            return false;
        }
        Side strongest = holds.stream().map(Hold::side).max(Side::compareTo).orElse(side);
        boolean milder = strongest.compareTo(side) < 0;
        if (milder) {
            side = strongest;
        }
        return milder;
    }

    /**
     * Whether another request may have this grant without a request to the store.
     *
     * @param rivals whether requests of this client wait for another side
     */
    boolean mayHandOver(LockOptions options, boolean rivals, long now) {
        return usable()
                && ((others == Others.NONE && !rivals)
                        || (handOvers < options.handOvers()
                                && now - since < options.handOverTime().toNanos()));
    }

    /** @param rivals see {@link #mayHandOver} */
    void handedOver(boolean rivals) {
        if (others != Others.NONE || rivals) {
            handOvers++;
        }
    }

    /** Whether the client may keep the grant unused. The bound counts until it is known that nobody else waits. */
    boolean mayRetain(LockOptions options, long now) {
        return others != Others.WAITING && mayHandOver(options, false, now);
    }

    /**
     * Promises that nobody gets the grant after this hold, if it is the only hold and not one of a read lock.
     *
     * @return whether that has been promised
     */
    boolean endWith(Hold only) {
        last |= !side.tolerates(Side.READ) && holds.equals(Set.of(only));
        return last;
    }

    /** Whether {@link #endWith} has promised that no other hold follows. */
    boolean isLast() {
        return last;
    }

    private boolean usable() {
        return !last && tokens < TOKENS && grant.valid();
    }

    /** True for the first call only: the store is to be asked now whether others wait. */
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
     * The fencing token of the present holder, which is larger than the tokens of all earlier holders. Those who share
     * a read lock have the same token. A thread that reads beside its write lock, or has downgraded it, keeps the
     * writer's token. One ticket has 64 tokens, and a token is used up only if somebody asks for it. Only {@link
     * #mayHandOver} checks whether any are left.
     *
     * @return empty if the store has no token that it can vouch for
     */
    OptionalLong token() {
        OptionalLong base = grant.token();
        if (base.isEmpty()) {
            return base;
        }
        if (!drawn) {
            drawn = true;
            tokens++;
        }
        return OptionalLong.of(firstToken(base.getAsLong()) | (tokens - 1));
    }

    /** The smallest of the fencing tokens that are made from one token of the store. */
    static long firstToken(long base) {
        return base << TOKEN_BITS;
    }
}
