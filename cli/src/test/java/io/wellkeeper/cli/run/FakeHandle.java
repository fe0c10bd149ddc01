package io.wellkeeper.cli.run;

import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A hold whose deadline the test sets. */
final class FakeHandle implements LockHandle {

    private final List<Runnable> onLost = new CopyOnWriteArrayList<>();
    private volatile long deadline;

    FakeHandle(Duration validity) {
        deadline = System.nanoTime() + validity.toNanos();
    }

    void lose() {
        deadline = System.nanoTime();
        onLost.forEach(Runnable::run);
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public long fencingToken() {
        checkHeld();
        return 1;
    }

    @Override
    public boolean isHeld() {
        return !remaining().isZero();
    }

    @Override
    public void checkHeld() {
        if (!isHeld()) {
            throw new LockLostException("fake");
        }
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    @Override
    public Registration onLost(Runnable action) {
        onLost.add(action);
        if (!isHeld()) {
            action.run();
        }
        return () -> onLost.remove(action);
    }

    @Override
    public void close() {
        checkHeld();
    }

    @Override
    public Registration onRevocationRequested(RevocationListener listener) {
        throw new UnsupportedOperationException();
    }
}
