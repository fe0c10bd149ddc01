package io.wellkeeper.testkit;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Something that a client of a simulation has acquired and not closed. */
final class SimulatedUse {

    private final SimulatedProcess process;
    private final SimulatedPrimitive.Want want;
    private final SimulatedPrimitive.Holding holding;
    private final Map<String, Long> tokensWhenAsked;
    private final long[] tokens;
    private boolean begun;
    private boolean lost;
    private boolean told;
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
        Arrays.fill(tokens, -1);
        holding.onLost(() -> told = true);
    }

    /** Whether the owner has been told that this is lost. */
    boolean isToldLost() {
        return told;
    }

    /** Reads the tokens; false if they were read before, or if this is not held any more. */
    boolean begin() {
        if (begun || !isHeld()) {
            return false;
        }
        begun = true;
        for (int i = 0; i < tokens.length; i++) {
            String name = want.names().get(i);
            tokens[i] = process.ask(() -> holding.token(name));
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

    Map<String, Long> tokensWhenAsked() {
        return tokensWhenAsked;
    }

    long tokenWhenAsked(String name) {
        return tokensWhenAsked.getOrDefault(name, -1L);
    }

    long token(String name) {
        return tokens[want.names().indexOf(name)];
    }

    /** Whether this is held by the given ticket. */
    boolean isBy(Slip slip) {
        return process.owns(slip) && concerns(slip.name()) && token(slip.name()) >> 6 == slip.token();
    }

    /** As {@link #isBy}; but before the tokens were read, this may be held by any ticket of its owner. */
    boolean mayBeBy(Slip slip) {
        return isBy(slip) || (!begun && process.owns(slip) && concerns(slip.name()));
    }

    /** Whether the owner believes that it holds this; a process that does not run believes nothing. */
    boolean isHeld() {
        if (!process.isRunning()) {
            return false;
        }
        boolean held = process.ask(holding::isHeld);
        if (held && lost) {
            throw new AssertionError("what was lost is held again: " + want);
        }
        lost |= !held;
        return held;
    }

    /** Why the owner, which must run, does not hold this any more; empty if it does. */
    String reasonOfLoss(String name) {
        try {
            process.ask(() -> holding.token(name));
            return "";
        } catch (IllegalMonitorStateException lost) {
            return String.valueOf(lost.getMessage());
        }
    }

    /** Whether a change is under way; this must not be closed before its end. */
    boolean isBusy() {
        return !busy.isDone();
    }

    void busyUntil(CompletableFuture<?> done) {
        busy = done;
    }

    void close() {
        try {
            holding.close();
        } catch (IllegalMonitorStateException expected) { // this is lost, or is just being changed
            if (process.ask(holding::isHeld)) {
                throw new AssertionError("lost and held: " + want, expected);
            }
        }
    }
}
