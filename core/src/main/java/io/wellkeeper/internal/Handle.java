package io.wellkeeper.internal;

import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketHolder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A hold that is bound to no thread. */
class Handle implements LockHandle, TicketHolder {

    private final Door<?> door;
    private final Hold hold;
    private final AtomicBoolean closed = new AtomicBoolean();

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
        return !closed.get() && hold.isHeld();
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
        return closed.get() ? Registration.NONE : hold.onRevocationRequested(listener);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            door.awaitRelease(hold.unlock());
        }
    }

    <T extends @Nullable Object> T end(Function<Hold, T> how) {
        if (!closed.compareAndSet(false, true)) {
            throw new IllegalMonitorStateException("the handle of '" + name() + "' was closed");
        }
        try {
            return how.apply(hold);
        } catch (LockLostException | IllegalStateException unchanged) {
            closed.set(false);
            throw unchanged;
        }
    }

    @Override
    public String toString() {
        return door.describe(LockHandle.class, door.side().of(name()), hold.standing());
    }
}
