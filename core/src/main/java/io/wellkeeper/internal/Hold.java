package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** That somebody has the lock: one grant to one thread or handle, nested acquisitions included. */
final class Hold {

    private enum State {
        HELD,
        RELEASED,
        LOST
    }

    private final Gate gate;
    private final Turn turn;
    private final @Nullable Thread owner;
    private final LockOptions options;
    private final long since;
    private final List<Runnable> lossActions = new ArrayList<>(); // guarded by the gate's monitor
    private @Nullable OptionalLong token; // guarded by the gate's monitor
    private int count = 1; // touched by the owner only
    private volatile State state = State.HELD; // leaves HELD once, under the gate's monitor
    private String reasonOfLoss = ""; // written before state

    Hold(Gate gate, Turn turn, @Nullable Thread owner, LockOptions options, long since) {
        this.gate = gate;
        this.turn = turn;
        this.owner = owner;
        this.options = options;
        this.since = since;
    }

    Turn turn() {
        return turn;
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    LockOptions options() {
        return options;
    }

    long since() {
        return since;
    }

    int count() {
        return count;
    }

    void again() {
        if (count == Integer.MAX_VALUE) {
            throw new Error("Maximum lock count exceeded");
        }
        count++;
    }

    /** Takes one of the nested holds off; what is left. */
    int less() {
        return --count;
    }

    boolean isLost() {
        return state == State.LOST;
    }

    /** Neither released nor known to be lost. */
    boolean isOpen() {
        return state == State.HELD;
    }

    void release() {
        state = State.RELEASED;
    }

    void lose(String reason) {
        reasonOfLoss = reason;
        state = State.LOST;
    }

    String reasonOfLoss() {
        return reasonOfLoss;
    }

    OptionalLong token() {
        if (token == null) {
            token = turn.nextToken();
        }
        return token;
    }

    List<Runnable> lossActions() {
        return lossActions;
    }

    boolean isHeld() {
        return gate.isHeld(this);
    }

    void check() {
        gate.checkHeld(this);
    }

    IllegalMonitorStateException exception() {
        return gate.exception(this);
    }

    long fencingToken() {
        return gate.fencingToken(this);
    }

    Duration remaining() {
        return Duration.ofNanos(gate.remainingNanos(this));
    }

    Registration onLost(Runnable action) {
        return gate.onLost(this, action);
    }

    /** Ends the last of the nested holds, or one of those that were lost; see {@link Gate#release}. */
    @Nullable
    CompletionStage<Void> unlock() {
        return gate.release(this);
    }
}
