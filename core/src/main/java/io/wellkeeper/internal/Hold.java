package io.wellkeeper.internal;

import io.wellkeeper.LockLostException;
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
    private final long since;
    private final List<Runnable> lossActions = new ArrayList<>(); // guarded by the gate's monitor
    private @Nullable OptionalLong token; // guarded by the gate's monitor
    private int count = 1; // touched by the owner only
    private String reasonOfLoss = ""; // written before state
    private volatile State state = State.HELD; // leaves HELD once, under the gate's monitor

    Hold(Gate gate, Turn turn, @Nullable Thread owner, long since) {
        this.gate = gate;
        this.turn = turn;
        this.owner = owner;
        this.since = since;
    }

    Turn turn() {
        return turn;
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    long since() {
        return since;
    }

    int count() {
        return count;
    }

    /** Counts one more, if this lock lets a thread in twice. */
    boolean reenter(LockOptions wanted) {
        gate.checkShape(wanted);
        if (wanted.reentrant()) {
            again();
        }
        return wanted.reentrant();
    }

    private void again() {
        if (count == Integer.MAX_VALUE) {
            throw new Error("Maximum lock count exceeded");
        }
        count++;
    }

    /** Takes one of the nested holds off; what is left. */
    int less() {
        return --count;
    }

    /** Neither released nor known to be lost. */
    boolean isOpen() {
        return state == State.HELD;
    }

    /** Whether the lock is held for certain. If its time is up that is noticed here, and for good. */
    boolean isHeld() {
        if (isOpen() && !turn.grant().valid()) {
            gate.lose(this, turn.grant().reasonOfLoss());
        }
        return isOpen();
    }

    void check() {
        if (!isHeld()) {
            throw exception();
        }
    }

    /** What to tell the one who uses this though it is not held. */
    IllegalMonitorStateException exception() {
        return state == State.LOST
                ? new LockLostException("lock '" + gate.name() + "' was lost: " + reasonOfLoss)
                : new IllegalMonitorStateException("lock '" + gate.name() + "' was released");
    }

    long fencingToken() {
        check();
        OptionalLong known = gate.guarded(() -> {
            if (token == null && isOpen()) {
                token = turn.nextToken();
            }
            return token;
        });
        if (known == null) {
            throw exception();
        }
        return known.orElseThrow(
                () -> new UnsupportedOperationException(gate.describeStore() + " has no honest fencing token"));
    }

    Duration remaining() {
        return isHeld()
                ? Duration.ofNanos(Math.max(0, gate.nanosUntil(turn.grant().deadlineNanos())))
                : Duration.ZERO;
    }

    Registration onLost(Runnable action) {
        Runnable registered = action::run; // an object of its own, so that closing twice takes nobody else's out
        boolean added = gate.guarded(() -> isOpen() && lossActions.add(registered));
        if (added) {
            return () -> gate.guarded(() -> lossActions.remove(registered));
        }
        if (state == State.LOST) {
            gate.callBack(action);
        }
        return Registration.NONE;
    }

    /** Ends the last of the nested holds, or one of those that were lost; see {@link Gate#release}. */
    @Nullable
    CompletionStage<Void> unlock() {
        return gate.release(this);
    }

    void markReleased() {
        state = State.RELEASED;
    }

    /** What is to be run now that it is lost. */
    List<Runnable> markLost(String reason) {
        reasonOfLoss = reason;
        state = State.LOST;
        List<Runnable> actions = List.copyOf(lossActions);
        lossActions.clear();
        return actions;
    }

    String reasonOfLoss() {
        return reasonOfLoss;
    }
}
