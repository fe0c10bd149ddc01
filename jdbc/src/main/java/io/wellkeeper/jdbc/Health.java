package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state of a session: LIVE, SUSPECT while one of its connections is broken, LOST, or CLOSED. The session's listener
 * is told of each change, except of the one to CLOSED.
 */
final class Health {

    /** The connections that a session needs. */
    enum Part {
        REQUESTS,
        MESSAGES
    }

    private enum State {
        LIVE,
        SUSPECT,
        LOST,
        CLOSED
    }

    private final SessionListener listener;
    private final String address;
    private final ReentrantLock lock =
            new ReentrantLock(); // guards the broken parts; the listener is told of SUSPECT and LIVE under it, in order
    private final Set<Part> broken = EnumSet.noneOf(Part.class);
    private volatile State state = State.LIVE; // written under the lock

    Health(SessionListener listener, String address) {
        this.listener = listener;
        this.address = address;
    }

    void broken(Part part, String problem) {
        lock.lock();
        try {
            broken.add(part);
            if (state == State.LIVE) {
                state = State.SUSPECT;
                listener.suspect(problem);
            }
        } finally {
            lock.unlock();
        }
    }

    void sound(Part part) {
        lock.lock();
        try {
            broken.remove(part);
            if (state == State.SUSPECT && broken.isEmpty()) {
                state = State.LIVE;
                listener.live();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The database says that the session has ended.
     *
     * @param first what is to be done before the listener is told
     */
    void lost(Runnable first) {
        lock.lock();
        try {
            if (ended()) {
                return;
            }
            state = State.LOST;
        } finally {
            lock.unlock();
        }
        first.run();
        listener.lost();
    }

    /** The listener hears nothing more. */
    void close() {
        lock.lock();
        try {
            if (state != State.LOST) {
                state = State.CLOSED;
            }
        } finally {
            lock.unlock();
        }
    }

    boolean ended() {
        return state == State.LOST || state == State.CLOSED;
    }

    boolean isLost() {
        return state == State.LOST;
    }

    /** The answer of a session that has ended. */
    LockStoreException refusal() {
        return state == State.LOST
                ? new SessionLostException("the session at " + address + " has ended")
                : new LockStoreException("the session at " + address + " was closed");
    }
}
