package io.wellkeeper.internal;

import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketHolder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A hold that is bound to no thread. */
class Handle implements LockHandle, TicketHolder {

    private enum State {
        OPEN,
        /** {@link #end} is trying to end or replace the hold. */
        ENDING,
        /** As before, and the handle was closed meanwhile: if {@link #end} fails, it gives the hold back. */
        ENDING_AND_CLOSED,
        CLOSED
    }

    private final Door<?> door;
    private final Hold hold;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    Handle(Door<?> door, Hold hold) {
        this.door = door;
        this.hold = hold;
    }

    Door<?> door() {
        return door;
    }

    Hold hold() {
        return hold;
    }

    @Override
    public String name() {
        return door.name();
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken();
    }

    @Override
    public Ticket ticket() {
        return hold.ticket();
    }

    @Override
    public void expectRemoval() {
        hold.expectRemoval();
    }

    @Override
    public boolean isHeld() {
        return !isClosed() && hold.isHeld();
    }

    @Override
    public void checkHeld() {
        hold.check();
    }

    @Override
    public Duration remaining() {
        return hold.remaining();
    }

    @Override
    public Registration onLost(Runnable action) {
        return hold.onLost(action);
    }

    @Override
    public Registration onRevocationRequested(RevocationListener listener) {
        return isClosed() ? Registration.NONE : hold.onRevocationRequested(listener);
    }

    private boolean isClosed() {
        return state.get() != State.OPEN;
    }

    @Override
    public void close() {
        if (state.compareAndSet(State.OPEN, State.CLOSED)) {
            door.awaitRelease(hold.unlock());
        } else {
            state.compareAndSet(State.ENDING, State.ENDING_AND_CLOSED); // the thread in end() closes it
        }
    }

    <T extends @Nullable Object> T end(Function<Hold, T> how) {
        if (!state.compareAndSet(State.OPEN, State.ENDING)) {
            throw new IllegalMonitorStateException("the handle of '" + name() + "' was closed");
        }
        try {
            T result = how.apply(hold);
            state.set(State.CLOSED);
            return result;
        } catch (LockLostException | IllegalStateException unchanged) {
            if (!state.compareAndSet(State.ENDING, State.OPEN)) {
                state.set(State.CLOSED);
                Door.giveBack(hold);
            }
            throw unchanged;
        }
    }

    @Override
    public String toString() {
        return door.describe(LockHandle.class, door.side().of(name()), hold.standing());
    }
}
