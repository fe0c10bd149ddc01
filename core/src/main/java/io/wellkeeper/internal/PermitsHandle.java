package io.wellkeeper.internal;

import io.wellkeeper.LockLostException;
import io.wellkeeper.Permits;

/** Permits of a semaphore, some of which can be given back before the others. */
final class PermitsHandle extends Handle implements Permits {

    PermitsHandle(Door<?> door, Hold hold) {
        super(door, hold);
    }

    @Override
    public int count() {
        return isHeld() ? hold().permits() : 0;
    }

    @Override
    public void release(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(permits + " permits are to be released; at least 1 is allowed");
        }
        door().awaitRelease(hold().unlockSome(permits));
    }

    @Override
    public void close() {
        try {
            super.close();
        } catch (LockLostException lost) {
            throw lost;
        } catch (IllegalMonitorStateException released) {
            // all permits have been given back before, a few at a time
        }
    }

    @Override
    public String toString() {
        return door().describe(Permits.class, name(), hold().permits() + " permits", hold().standing());
    }
}
