package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The use that the threads of one client make of one grant: one after another, or, of a read, many at once. Guarded by
 * the gate's monitor, but for what is final.
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
    private final Set<Hold> holds = new LinkedHashSet<>();
    private Side side;
    private boolean fresh = true; // nobody has used it yet
    private long since; // the grant's beginning, or the newcomer's arrival
    private int handOvers;
    private int tokens; // how many fencing tokens have been drawn
    private boolean drawn; // whether the one who has it exclusively, or had it last, has drawn his
    private Others others = Others.UNKNOWN;
    private boolean asked;
    private boolean last; // the one who has it is the last who will

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

    /** True for the first that ever used it. */
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

    /** Nobody uses it. */
    boolean isIdle() {
        return holds.isEmpty();
    }

    /** Whether it will be handed over, or given back, so that whoever wants the same need not take a number yet. */
    boolean serves(Side wanted) {
        return side == wanted && wanted.isHandedOver() && !holds.isEmpty();
    }

    /** The strongest that is still in use becomes what the ticket stands for; true if that is milder than before. */
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
     * Whether one more may have it without the store being asked.
     *
     * @param rivals whether others of this client wait for something else
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

    /** Whether it may be kept while nobody in this client wants it; the bound counts until others are known not to wait. */
    boolean mayRetain(LockOptions options, long now) {
        return others != Others.WAITING && mayHandOver(options, false, now);
    }

    /** Nobody gets it after this one, if nobody else uses it; false if somebody does. */
    boolean endWith(Hold only) {
        last |= !side.tolerates(Side.READ) && holds.equals(Set.of(only));
        return last;
    }

    /** Whether {@link #endWith} has been promised. */
    boolean isLast() {
        return last;
    }

    private boolean usable() {
        return !last && tokens < TOKENS && grant.valid();
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
     * The fencing token of whoever has it now: larger than that of everybody who had it before. Those who share a read have
     * the same one, and who reads beside a writer, or has become a reader, has the writer's. A token that nobody asks for
     * costs none of the 64 that one ticket has; who gets it when they are used up is asked of {@link #mayHandOver} alone.
     *
     * @return empty if the store has no honest one
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

    /** The smallest of the tokens that come of one of the store's. */
    static long firstToken(long base) {
        return base << TOKEN_BITS;
    }
}
