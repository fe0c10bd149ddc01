package io.wellkeeper.testkit;

import io.wellkeeper.LockLostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What a client of a simulation has acquired and not closed. */
final class SimulatedUse {

    private final SimulatedProcess process;
    private final SimulatedPrimitive.Want want;
    private final SimulatedPrimitive.Holding holding;
    private final Map<String, Long> tokensWhenAsked;
    private final long[] tokens;
    private boolean lost;
    private CompletableFuture<?> busy = CompletableFuture.completedFuture(null);

    SimulatedUse(
            SimulatedProcess process,
            SimulatedPrimitive.Want want,
            SimulatedPrimitive.Holding holding,
            Map<String, Long> tokensWhenAsked) {
        this.tokensWhenAsked = tokensWhenAsked;
        this.process = process;
        this.want = want;
        this.holding = holding;
        this.tokens = new long[want.names().size()];
    }

    /** Reads the tokens; false if it is not held any more. */
    boolean begin() {
        if (!isHeld()) {
            return false;
        }
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = holding.token(want.names().get(i));
        }
        return true;
    }

    SimulatedProcess process() {
        return process;
    }

    SimulatedPrimitive.Want want() {
        return want;
    }

    SimulatedPrimitive.Holding holding() {
        return holding;
    }

    boolean concerns(String name) {
        return want.names().contains(name);
    }

    long tokenWhenAsked(String name) {
        return tokensWhenAsked.getOrDefault(name, -1L);
    }

    long token(String name) {
        return tokens[want.names().indexOf(name)];
    }

    /** Whether this is by this very ticket. */
    boolean isBy(Slip slip) {
        return process.owns(slip) && concerns(slip.name()) && token(slip.name()) >> 6 == slip.token();
    }

    /** Whether its owner believes in it; a process that does not run believes nothing. */
    boolean isHeld() {
        if (!process.isRunning()) {
            return false;
        }
        boolean held = holding.isHeld();
        if (held && lost) {
            throw new AssertionError("what was lost is held again: " + want);
        }
        lost |= !held;
        return held;
    }

    /** Something is under way, before the end of which it must not be closed. */
    boolean isBusy() {
        return !busy.isDone();
    }

    void busyUntil(CompletableFuture<?> done) {
        busy = done;
    }

    void close() {
        try {
            holding.close();
        } catch (LockLostException expected) {
            if (holding.isHeld()) {
                throw new AssertionError("lost and held: " + want, expected);
            }
        }
    }
}
