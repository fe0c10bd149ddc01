package io.wellkeeper.stress;

import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import java.time.Duration;

/** Counts releases and losses, on any thread that runs the callbacks. */
final class Happenings implements LockListener {

    private int released;
    private int lost;

    @Override
    public synchronized void released(Acquisition what, Duration held) {
        released++;
    }

    @Override
    public synchronized void lost(Acquisition what, Duration held, String reason) {
        lost++;
    }

    synchronized int released() {
        return released;
    }

    synchronized int lost() {
        return lost;
    }
}
