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
 * The notices that this session watches. The server has one watch per name for the session, and its message contains
 * the new notice: a watcher that is told and reads the notice at once needs no round trip, and misses no notice that is
 * replaced soon.
 */
final class NoticeWatches {

    private final RedisSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map; watches are run without it
    private final Map<String, List<Watch>> watches = new HashMap<>(); // by name
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();

    NoticeWatches(RedisSession session) {
        this.session = session;
    }

    /** The notice of a name as a message has told it, and the number of the connection by which the message came. */
    private record Told(String name, Notice notice, int connection) {}

    /** One watch, which is equal to no other, not even to another with the same callback. */
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
     * A message from the server: a notice has changed.
     *
     * @param word {@code version:length:text}, and the name; the length is that of the text's UTF-8
     * @param connection the number of the connection by which the message came
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

    /**
     * This thread asks for the queue. The notice of which it is being told may be older than the answer shows the
     * queue.
     */
    void queueAsked() {
        told.remove();
    }

    /**
     * The notice of which this thread is just being told. Empty if the thread has asked for the queue since, or was
     * held up for so long that there is another connection by now, which may have told of a newer notice.
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
     * The server may not know that a name is watched. It is told so again, and after that the watchers are told to look
     * again.
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

    /** The server may not know that a name is no longer watched: it is told so again. */
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

    /** As {@link #again}, for all names that are watched. */
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
