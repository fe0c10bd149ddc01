package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.util.Optional;

/**
 * The lock under which the calling thread runs: that of the innermost {@link Locked} method it is in. It is for code
 * that such a method calls, and that needs the fencing token, or wants to make sure that it runs under a lock at all.
 */
public final class CurrentLock {

    private CurrentLock() {}

    /**
     * The hold of the innermost guarded method: a {@link io.wellkeeper.LockHandle}, or a
     * {@link io.wellkeeper.MultiLockHandle} if the method has several names. It is released when the method ends; its
     * {@code close()} throws {@link UnsupportedOperationException}.
     *
     * @return empty if the thread is in no guarded method
     */
    public static Optional<Held> find() {
        ThreadHolds.Call call = ThreadHolds.innermost();
        return call == null ? Optional.empty() : Optional.of(call.borrowed());
    }

    /**
     * {@return the number to send to the storage that the lock protects; see
     * {@link io.wellkeeper.LockHandle#fencingToken()}}
     *
     * @throws IllegalStateException if the thread is in no guarded method, or in one with several names
     * @throws LockLostException if the lock was lost
     */
    public static long fencingToken() {
        if (innermost().borrowed() instanceof LockHandle one) {
            return one.fencingToken();
        }
        throw new IllegalStateException(innermost().method() + " has several names; MultiLockHandle has their tokens");
    }

    /**
     * Does nothing if the thread is in a guarded method and holds its lock. A guarded method that begins with this call
     * notices when it is called from within its own bean, past its proxy.
     *
     * @throws IllegalStateException if the thread is in no guarded method
     * @throws LockLostException if the lock was lost
     */
    public static void assertHeld() {
        innermost().holds().forEach(hold -> hold.held().checkHeld());
    }

    /**
     * As {@link #assertHeld()}, for a lock of this name, which any of the guarded methods that the thread is in may
     * hold.
     *
     * @param name the lock's name
     */
    public static void assertHeld(String name) {
        for (ThreadHolds.Call call = innermost(); call != null; call = call.outer()) {
            if (call.names().contains(name)) {
                call.holds().stream()
                        .filter(hold -> hold.has(name))
                        .forEach(hold -> hold.held().checkHeld());
                return;
            }
        }
        throw new IllegalStateException("this thread is in no guarded method that holds " + name);
    }

    private static ThreadHolds.Call innermost() {
        ThreadHolds.Call call = ThreadHolds.innermost();
        if (call == null) {
            throw new IllegalStateException(
                    "this thread is in no guarded method. If one was called: it was not through its"
                            + " proxy, but from within its own bean, or on an object that Spring has not made");
        }
        return call;
    }
}
