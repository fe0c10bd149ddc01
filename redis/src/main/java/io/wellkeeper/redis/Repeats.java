package io.wellkeeper.redis;

import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Repeats for a name, after a pause, what the server has refused. However often it is refused meanwhile, it is repeated
 * once.
 */
final class Repeats {

    private final Duration pause;
    private final Consumer<String> action;
    private final Set<String> planned = ConcurrentHashMap.newKeySet();

    /** @param action given the name after the pause; must not block */
    Repeats(Duration pause, Consumer<String> action) {
        this.pause = pause;
        this.action = action;
    }

    void plan(String name) {
        if (planned.add(name)) {
            Time.later(pause, () -> {
                planned.remove(name); // first: the action may be refused at once
                action.accept(name);
            });
        }
    }

    /** Whether the action is still to be repeated for a name. */
    boolean isPlanned(String name) {
        return planned.contains(name);
    }
}
