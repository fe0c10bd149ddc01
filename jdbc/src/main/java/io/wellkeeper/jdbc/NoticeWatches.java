package io.wellkeeper.jdbc;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The notices that this session watches. The database records one watch for each name. A watcher that reads the notice
 * at once when it is told needs no round trip, and misses no notice that is replaced soon.
 *
 * <p>Messages and answers come by different connections, so a message may be older than an answer. A watcher that asks
 * for tickets first, and then for the notice, gets a notice that is no older than those tickets. The notices that come
 * with messages do not go back to older ones.
 */
final class NoticeWatches {

    private final SqlSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map; watches are run without it
    private final Map<String, Watched> watches = new HashMap<>(); // by name
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();

    private record Told(String name, Notice notice) {}

    /** The watchers of one notice, and the newest version that they were told of. */
    private static final class Watched {
        final List<Watch> all = new ArrayList<>();
        long version;
        final AtomicInteger asked = new AtomicInteger(); // how often the database was asked to tell of changes
    }

    NoticeWatches(SqlSession session) {
        this.session = session;
    }

    /** One registration; equal to no other. */
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
            Watched there = watches.computeIfAbsent(name, unused -> new Watched());
            there.all.add(watch);
            if (there.all.size() == 1) {
                heed(name, there);
            }
        } finally {
            lock.unlock();
        }
        return () -> forget(name, watch);
    }

    /**
     * Asks the database to tell of changes. If that fails, asks again later, unless it was asked since. The lock is
     * held.
     */
    private CompletableFuture<?> heed(String name, Watched there) {
        int asked = there.asked.incrementAndGet();
        CompletableFuture<?> heeding = session.heed(name);
        heeding.whenComplete((done, failure) -> {
            if (failure != null && !session.hasEnded()) {
                SqlSession.later(session.heartbeatInterval(), () -> heedAgain(name, there, asked));
            }
        });
        return heeding;
    }

    /**
     * Asks the database once more to tell of changes, and tells the watchers then: until the database had this request,
     * the notice may have changed without a message.
     *
     * @param asked how often the database had been asked; if that has changed since, nothing is to be done
     */
    private void heedAgain(String name, Watched there, int asked) {
        CompletableFuture<?> heeding;
        lock.lock();
        try {
            if (there.asked.get() != asked || !there.equals(watches.get(name))) {
                return; // it was asked since, or nobody watches the notice any more
            }
            heeding = heed(name, there);
        } finally {
            lock.unlock();
        }
        heeding.whenComplete((done, failure) -> tell(name, null));
    }

    private void forget(String name, Watch watch) {
        lock.lock();
        try {
            Watched there = watches.get(name);
            if (there != null && there.all.remove(watch) && there.all.isEmpty()) {
                watches.remove(name);
                session.unheed(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * There is another notice.
     *
     * @param message {@code version:length:text}, and the name; the length in code points
     */
    void changed(String message) {
        String[] parts = message.split(":", 3);
        int length = parts[2].offsetByCodePoints(0, Integer.parseInt(parts[1]));
        changed(parts[2].substring(length), new Notice(parts[2].substring(0, length), Long.parseLong(parts[0])));
    }

    /** As {@link #changed(String)}. */
    void changed(String name, Notice notice) {
        boolean news;
        lock.lock();
        try {
            Watched there = watches.get(name);
            if (there == null) {
                return;
            }
            news = notice.version() > there.version;
            there.version = Math.max(there.version, notice.version());
        } finally {
            lock.unlock();
        }
        tell(name, news ? new Told(name, notice) : null);
    }

    /** This notice was read from the database; its watchers are told if it is newer than the last they were told of. */
    void found(String name, Notice notice) {
        boolean news;
        lock.lock();
        try {
            Watched there = watches.get(name);
            news = there != null && notice.version() > there.version;
        } finally {
            lock.unlock();
        }
        if (news) {
            changed(name, notice);
        }
    }

    /** The notice that this thread is just being told. */
    Optional<Notice> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name))
                .map(Told::notice);
    }

    /**
     * This thread asks for tickets of the name: from now on the notice that it is being told is older than the answer.
     */
    void outdate(String name) {
        if (told(name).isPresent()) {
            told.remove();
        }
    }

    private void tell(String name, @Nullable Told news) {
        List<Watch> all;
        lock.lock();
        try {
            Watched there = watches.get(name);
            all = there == null ? List.of() : List.copyOf(there.all);
        } finally {
            lock.unlock();
        }
        for (Watch watch : all) {
            told.set(news);
            try {
                watch.changed.run();
            } finally {
                told.remove();
            }
        }
    }

    /** There may be another notice. */
    void mayHaveChanged(String name) {
        tell(name, null);
    }

    /**
     * Any notice may have changed: the server that we were connected to may not know all watches that were asked for.
     */
    void allMayHaveChanged() {
        Map<String, Watched> all;
        lock.lock();
        try {
            all = Map.copyOf(watches);
        } finally {
            lock.unlock();
        }
        all.forEach((name, there) -> {
            tell(name, null); // at once, as asking may have to wait for others at the row
            heedAgain(name, there, there.asked.get());
        });
    }

    /** The names of the notices that are watched. */
    Set<String> names() {
        lock.lock();
        try {
            return Set.copyOf(watches.keySet());
        } finally {
            lock.unlock();
        }
    }
}
