package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests for a lock whose attempts were abandoned before the store had answered. Of each lock there are never
 * more than a few. A caller that asks again and again, each time for less time than the store takes, waits in line for
 * an earlier answer.
 */
final class Stragglers {

    static final int MOST = 64; // of one lock

    private static final class Line {

        private int unanswered;
        private final Set<Runnable> waiting = new LinkedHashSet<>();

        boolean isEmpty() {
            return unanswered == 0 && waiting.isEmpty();
        }
    }

    private final Monitor lock = new Monitor(); // guards the lines
    private final Map<String, Line> lines = new HashMap<>();

    /**
     * Asks for leave to send a request.
     *
     * @param whenRoom runs when it is worth asking once more
     * @return null if the request may be sent at once; otherwise closing it leaves the line
     */
    @Nullable
    Registration enter(String name, Runnable whenRoom) {
        Runnable waiting = whenRoom::run; // a new object, to be told from other calls
        lock.lock();
        try {
            Line line = lines.get(name);
            if (line == null || line.unanswered < MOST) {
                return null;
            }
            line.waiting.add(waiting);
        } finally {
            lock.unlock();
        }
        return () -> leave(name, waiting);
    }

    private void leave(String name, Runnable waiting) {
        lock.lock();
        try {
            Line line = lines.get(name);
            if (line != null) {
                line.waiting.remove(waiting);
                removeIfEmpty(name, line);
            }
        } finally {
            lock.unlock();
        }
    }

    /** An attempt was abandoned, and {@link #answered} will be called. */
    void abandoned(String name) {
        lock.lock();
        try {
            Line line = lines.computeIfAbsent(name, unused -> new Line());
            line.unanswered++;
            removeIfEmpty(name, line); // empty if the answer has overtaken this call
        } finally {
            lock.unlock();
        }
    }

    /** The store has answered the request of an attempt that was abandoned, or will never do so. */
    void answered(String name) {
        List<Runnable> next = List.of();
        lock.lock();
        try {
            Line line = lines.computeIfAbsent(name, unused -> new Line());
            line.unanswered--;
            if (line.unanswered < MOST) {
                next = List.copyOf(line.waiting);
                line.waiting.clear();
            }
            removeIfEmpty(name, line);
        } finally {
            lock.unlock();
        }
        next.forEach(Runnable::run);
    }

    private void removeIfEmpty(String name, Line line) {
        if (line.isEmpty()) {
            lines.remove(name, line);
        }
    }
}
