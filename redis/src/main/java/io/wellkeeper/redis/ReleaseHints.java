package io.wellkeeper.redis;

import io.wellkeeper.Registration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The callbacks of waiters that want to know when a lock may have become free. */
final class ReleaseHints {

    private final Map<String, Set<Runnable>> hints = new ConcurrentHashMap<>();
    private final Consumer<String> first;
    private final Consumer<String> last;

    ReleaseHints() {
        this(key -> {}, key -> {});
    }

    /**
     * As {@link #ReleaseHints()}.
     *
     * @param first given a key when its first callback is added; must not block
     * @param last given a key when its last callback is removed; must not block
     */
    ReleaseHints(Consumer<String> first, Consumer<String> last) {
        this.first = first;
        this.last = last;
    }

    /**
     * Adds a callback.
     *
     * @param key of the lock
     */
    Registration add(String key, Runnable hint) {
        Runnable own = hint::run; // the same may be added twice
        hints.compute(key, (same, there) -> {
            if (there == null) {
                first.accept(key);
            }
            Set<Runnable> all = there == null ? ConcurrentHashMap.newKeySet() : there;
            all.add(own);
            return all;
        });
        return () -> hints.computeIfPresent(key, (same, there) -> {
            if (there.remove(own) && there.isEmpty()) {
                last.accept(key);
            }
            return there.isEmpty() ? null : there;
        });
    }

    /** The keys for which there is a callback. */
    Set<String> keys() {
        return Set.copyOf(hints.keySet());
    }

    /** The lock of this key may be free. */
    void hint(String key) {
        List.copyOf(hints.getOrDefault(key, Set.of())).forEach(Runnable::run);
    }

    /** Every lock may be free. */
    void hintAll() {
        keys().forEach(this::hint);
    }
}
