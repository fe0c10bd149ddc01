package io.wellkeeper.stress;

import io.wellkeeper.LockListener;
import java.time.Duration;

/** Counts releases and losses, on whichever thread runs the callbacks. */
final class Happenings implements LockListener {

    private int released;
    private int lost;

    @Override
    public synchronized void released(String lock, Duration held) {
        released++;
    }

    @Override
    public synchronized void lost(String lock, Duration held, String reason) {
        lost++;
    }

    synchronized int released() {
        return released;
    }

    synchronized int lost() {
        return lost;
    }
}
