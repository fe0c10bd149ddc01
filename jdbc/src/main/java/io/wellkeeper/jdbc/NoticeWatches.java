package io.wellkeeper.jdbc;

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
 * The notices that this session watches. The database knows of each name once. Whoever is told and reads it at once
 * needs no round trip, and misses none that is replaced soon.
 */
final class NoticeWatches {

    private final SqlSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards the maps; watches are run without it
    private final Map<String, List<Watch>> watches = new HashMap<>(); // by name
    private final Map<String, Long> newest = new HashMap<>(); // version of what is watched, as far as it is known

    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();

    private record Told(String name, Notice notice) {}

    NoticeWatches(SqlSession session) {
        this.session = session;
    }

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
                session.heed(name);
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
                newest.remove(name);
                session.unheed(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * There is another notice.
     *
     * @param message {@code version:length:text}, and the name
     */
    void changed(String message) {
        String[] parts = message.split(":", 3);
        int length = Integer.parseInt(parts[1]);
        changed(parts[2].substring(length), new Notice(parts[2].substring(0, length), Long.parseLong(parts[0])));
    }

    /** As {@link #changed(String)}. */
    void changed(String name, Notice notice) {
        told.set(new Told(name, notice));
        try {
            tell(name);
        } finally {
            told.remove();
        }
    }

    /** The notice of which this thread is just being told; empty if this session knows that it was replaced. */
    Optional<Notice> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name) && !isOld(name, now.notice.version()))
                .map(Told::notice);
    }

    private boolean isOld(String name, long version) {
        lock.lock();
        try {
            return version < newest.getOrDefault(name, version);
        } finally {
            lock.unlock();
        }
    }

    /** There is a notice of this version, or a later one. */
    void seen(String name, long version) {
        lock.lock();
        try {
            if (watches.containsKey(name)) {
                newest.merge(name, version, Math::max);
            }
        } finally {
            lock.unlock();
        }
    }

    private void tell(String name) {
        List<Watch> all;
        lock.lock();
        try {
            all = List.copyOf(watches.getOrDefault(name, List.of()));
        } finally {
            lock.unlock();
        }
        all.forEach(watch -> watch.changed.run());
    }

    void allChanged() {
        names().forEach(this::tell);
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
