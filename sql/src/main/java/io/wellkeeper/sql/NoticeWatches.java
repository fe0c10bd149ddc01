package io.wellkeeper.sql;

import io.wellkeeper.Registration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The notices that this session watches. The database knows of each name once. */
final class NoticeWatches {

    private final SqlSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map; watches are run without it
    private final Map<String, List<Watch>> watches = new HashMap<>(); // by name

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
                session.unheed(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /** There may be another notice. */
    void tell(String name) {
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
