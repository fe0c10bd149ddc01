package io.wellkeeper.internal;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The interrupt that a thread has asked for in case it loses its lock. It comes once, and never after the thread has
 * unlocked the lost lock: when the thread unlocks, it interrupts itself if that is due, and if another thread is just
 * interrupting it, it waits until that is done.
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
     * @param wanted whether the thread wants to be interrupted already; it does not while it acquires further parts,
     *     because a part that is lost meanwhile is acquired anew
     */
    OwnerInterrupt(Thread owner, boolean wanted) {
        this.owner = owner;
        this.wanted = wanted;
    }

    /** From now on the thread wants to be interrupted, also if the lock was lost before. */
    void want() {
        wanted = true;
        deliver();
    }

    /** The lock has been lost. */
    void fallDue() {
        state.set(State.DUE);
    }

    /** Interrupts the owner if that is due. If another thread is just doing so, waits until it is done. */
    void deliver() {
        if (wanted && state.compareAndSet(State.DUE, State.UNDER_WAY)) {
            assert Monitor.noneHeld() : "a thread is interrupted under a monitor";
            Events.runGuarded(owner::interrupt); // the class of the thread may be the user's
            state.set(State.DONE);
        }
        while (state.get() == State.UNDER_WAY) {
            Thread.yield();
        }
    }
}
