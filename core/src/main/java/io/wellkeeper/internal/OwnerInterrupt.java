package io.wellkeeper.internal;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The interrupt that a thread has asked for in case it loses its lock. It comes once, and never after that thread has
 * unlocked what it lost: whoever unlocks brings it itself, or waits the moment that another takes to bring it.
 */
final class OwnerInterrupt {

    private enum State {
        NOT_DUE,
        DUE,
        UNDER_WAY,
        DONE
    }

    private final Thread owner;
    private final AtomicReference<State> state = new AtomicReference<>(State.NOT_DUE);
    private volatile boolean wanted;

    /**
     * @param wanted whether the thread wants to be interrupted already; it does not while it acquires more, and what is lost
     *     meanwhile is acquired anew
     */
    OwnerInterrupt(Thread owner, boolean wanted) {
        this.owner = owner;
        this.wanted = wanted;
    }

    /** From now on the thread wants to be interrupted, also for what was lost before. */
    void want() {
        wanted = true;
        deliver();
    }

    /** The lock has been lost. */
    void fallDue() {
        state.set(State.DUE);
    }

    /** Interrupts the owner if that is due, or sees to it that it has been done. */
    void deliver() {
        if (wanted && state.compareAndSet(State.DUE, State.UNDER_WAY)) {
            assert Monitor.noneHeld() : "a thread is interrupted under a monitor";
            Events.runGuarded(owner::interrupt); // its class may be the user's
            state.set(State.DONE);
        }
        while (state.get() == State.UNDER_WAY) {
            Thread.yield();
        }
    }
}
