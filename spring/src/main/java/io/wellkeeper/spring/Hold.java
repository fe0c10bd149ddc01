package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.MultiLockHandle;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One acquisition by a guarded method, which is released when its last user lets go of it. Users are the call that
 * acquired it, calls within that call, a transaction, and a result that comes later.
 */
final class Hold {

    private final Held held;
    private final LockSource source;
    private final Locked.Mode mode;
    private final Set<String> names;
    private final AtomicInteger users = new AtomicInteger();

    /** A new acquisition, which has no users yet. */
    Hold(Held held, LockSource source, Locked.Mode mode, Set<String> names) {
        this.held = held;
        this.source = source;
        this.mode = mode;
        this.names = names;
    }

    Held held() {
        return held;
    }

    Locked.Mode mode() {
        return mode;
    }

    boolean has(String name) {
        return names.contains(name);
    }

    boolean isOf(LockSource source) {
        return this.source == source;
    }

    long fencingToken(String name) {
        return held instanceof MultiLockHandle several
                ? Objects.requireNonNull(several.fencingTokens().get(name))
                : ((LockHandle) held).fencingToken();
    }

    /** Adds a user. */
    void use() {
        users.incrementAndGet();
    }

    /**
     * Removes a user; releases the lock if it was the last user.
     *
     * @throws io.wellkeeper.LockLostException if it was the last user, and the lock was lost
     */
    void letGo() {
        if (users.decrementAndGet() == 0) {
            held.close();
        }
    }

    /** Whether the lock has been released, by any thread. */
    boolean isOver() {
        return users.get() == 0;
    }

    @Override
    public String toString() {
        return String.join(", ", names);
    }
}
