package io.wellkeeper.spring;

import io.wellkeeper.LockSource;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The guarded methods that one thread is in, and the holds of these methods and of the thread's transactions. Only that
 * thread uses this object.
 */
final class ThreadHolds {

    private static final ThreadLocal<@Nullable ThreadHolds> OF_THREAD = new ThreadLocal<>();

    /** For each hold, how many calls and transactions of this thread use it. */
    private final Map<Hold, Integer> uses = new IdentityHashMap<>();

    private @Nullable Call innermost;

    /**
     * A guarded method that the thread is in.
     *
     * @param names of its locks
     * @param holds the holds by which these names are held
     * @param outer the guarded method in which it was called
     */
    record Call(
            LockedMethod method,
            Set<String> names,
            Set<Hold> holds,
            @Nullable Call outer) {

        BorrowedLock borrowed() {
            return BorrowedLock.of(method, names, holds);
        }
    }

    private ThreadHolds() {}

    /** The holds of the calling thread. */
    static ThreadHolds get() {
        ThreadHolds mine = OF_THREAD.get();
        if (mine == null) {
            mine = new ThreadHolds();
            OF_THREAD.set(mine);
        }
        return mine;
    }

    /** The innermost guarded method that the calling thread is in; null if it is in none. */
    static @Nullable Call innermost() {
        ThreadHolds mine = OF_THREAD.get();
        return mine == null ? null : mine.innermost;
    }

    boolean isOfCallingThread() {
        return OF_THREAD.get() == this;
    }

    /**
     * The holds that the thread has already for the names that a method wants.
     *
     * @return holds that cover all names; empty if the thread holds none of them
     * @throws IllegalStateException if the thread holds some of the names and not others, or holds only the read lock
     *     of a name to be written
     */
    Set<Hold> covering(LockSource source, LockedMethod method, Set<String> names) {
        if (uses.isEmpty()) {
            return Set.of();
        }
        uses.keySet().removeIf(Hold::isOver); // released by a transaction that ended on another thread
        Set<Hold> found = new LinkedHashSet<>();
        int covered = 0;
        for (String name : names) {
            Hold hold = covering(source, method, name);
            if (hold != null) {
                found.add(hold);
                covered++;
            }
        }
        if (covered != 0 && covered != names.size()) {
            throw new IllegalStateException(method + " wants all of " + names + ", of which its thread holds " + found
                    + " already: acquiring the rest afterwards would break the order of names, and two threads that do so may"
                    + " wait for each other. Acquire all of them in the outer method");
        }
        return found;
    }

    private @Nullable Hold covering(LockSource source, LockedMethod method, String name) {
        boolean reads = false;
        for (Hold hold : uses.keySet()) {
            if (hold.isOf(source) && hold.has(name)) {
                if (covers(hold.mode(), method.mode())) {
                    return hold;
                }
                reads |= hold.mode() == Locked.Mode.READ && method.mode() != Locked.Mode.PERMITS;
            }
        }
        if (reads) {
            throw new IllegalStateException(method + " wants to write under " + name
                    + ", which its thread holds for reading, and would wait for itself");
        }
        return null;
    }

    private static boolean covers(Locked.Mode held, Locked.Mode wanted) {
        return switch (held) {
            case EXCLUSIVE, WRITE -> wanted != Locked.Mode.PERMITS;
            case READ -> wanted == Locked.Mode.READ;
            case PERMITS -> wanted == Locked.Mode.PERMITS;
        };
    }

    /** Makes a call or transaction of this thread a user of a hold. */
    void use(Hold hold) {
        hold.use();
        uses.merge(hold, 1, Integer::sum);
    }

    /** Removes a call or transaction of this thread from the users of a hold; as {@link Hold#letGo()}. */
    void letGo(Hold hold) {
        uses.computeIfPresent(hold, (same, count) -> count == 1 ? null : count - 1);
        hold.letGo();
    }

    Call enter(LockedMethod method, Set<String> names, Set<Hold> holds) {
        Call call = new Call(method, names, holds, innermost);
        innermost = call;
        return call;
    }

    void leave(Call call) {
        innermost = call.outer();
    }

    /** Removes this object from the thread if the thread holds nothing. */
    void tidy() {
        if (innermost == null && uses.isEmpty()) {
            OF_THREAD.remove();
        }
    }
}
