package io.wellkeeper.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The notices that this session watches. The server knows of each name once, and sends the new notice along: whoever is
 * told and reads it at once, needs no round trip, and misses none that is replaced soon.
 */
final class NoticeWatches {

    private final RedisSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map; watches are run without it
    private final Map<String, List<Watch>> watches = new HashMap<>(); // by name
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();

    NoticeWatches(RedisSession session) {
        this.session = session;
    }

    /** By the connection of this number. */
    private record Told(String name, Notice notice, int connection) {}

    /** One who is to be told; equal to no other. */
    private static final class Watch {
        final Runnable changed;

        Watch(Runnable changed) {
            this.changed = changed;
        }
    }

    Registration watch(String name, Runnable changed) {
        Watch watch = new Watch(changed);
        lock.lock();
        try {
            List<Watch> there = watches.computeIfAbsent(name, unused -> new ArrayList<>());
            there.add(watch);
            if (there.size() == 1) {
                session.heedNotice(name);
            }
        } finally {
            lock.unlock();
        }
        return () -> forget(name, watch);
    }

    private void forget(String name, Watch watch) {
        lock.lock();
        try {
            List<Watch> there = watches.get(name);
            if (there != null && there.remove(watch) && there.isEmpty()) {
                watches.remove(name);
                session.unheedNotice(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Word from the server.
     *
     * @param word {@code version:length:text}, and the name; the length is that of the text's UTF-8
     * @param connection the number of the one by which it came
     */
    void changed(String word, int connection) {
        String[] parts = word.split(":", 3);
        int length = Integer.parseInt(parts[1]);
        byte[] both = parts[2].getBytes(UTF_8);
        Notice notice = new Notice(new String(both, 0, length, UTF_8), Long.parseLong(parts[0]));
        Told now = new Told(new String(both, length, both.length - length, UTF_8), notice, connection);
        try {
            for (Watch watch : watching(now.name)) {
                told.set(now);
                watch.changed.run();
            }
        } finally {
            told.remove();
        }
    }

    /** This thread asks for the queue: when that is answered, the notice of which it is being told may be too old for it. */
    void queueAsked() {
        told.remove();
    }

    /**
     * The notice of which this thread is just being told; not if it has asked for the queue since, or was held up meanwhile for
     * so long that there is another connection, which may have told of a newer one.
     */
    Optional<Notice> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name) && now.connection == session.wires())
                .map(Told::notice);
    }

    private List<Watch> watching(String name) {
        lock.lock();
        try {
            return List.copyOf(watches.getOrDefault(name, List.of()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * The server may not know that a name is watched: it is told again, and those who watch look again, after that.
     */
    void again(String name) {
        lock.lock();
        try {
            if (!watches.containsKey(name)) {
                return;
            }
            session.heedNotice(name);
        } finally {
            lock.unlock();
        }
        watching(name).forEach(watch -> watch.changed.run());
    }

    /** The server may not know that a name is no longer watched: it is told again. */
    void endAgain(String name) {
        lock.lock();
        try {
            if (!watches.containsKey(name)) {
                session.unheedNotice(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #again}, for all that are watched. */
    void allAgain() {
        names().forEach(this::again);
    }

    /** Which names are watched. */
    Set<String> names() {
        lock.lock();
        try {
            return Set.copyOf(watches.keySet());
        } finally {
            lock.unlock();
        }
    }
}
