package io.wellkeeper.spring.boot;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The locks that this process's client holds and waits for, as far as its listener has been told. */
final class LockActivity implements LockListener {

    private static final long IDLE_SECONDS = 5;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Acquisition> held = new HashSet<>(); // guarded by lock
    private final Set<Acquisition> waiting = new HashSet<>(); // guarded by lock
    private final List<Runnable> whenNothingIsHeld = new ArrayList<>(); // guarded by lock
    private final ThreadPoolExecutor callbacks; // has a thread only while there is something to run

    LockActivity() {
        callbacks = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "wellkeeper-callbacks");
            thread.setDaemon(true);
            return thread;
        });
        callbacks.allowCoreThreadTimeOut(true);
    }

    /** The client's callback executor, unless the application has set another one; it runs callbacks in order. */
    Executor callbacks() {
        return callbacks;
    }

    /** How many locks are held. */
    int held() {
        return count(held);
    }

    /** How many calls wait in a queue. */
    int waiting() {
        return count(waiting);
    }

    private int count(Set<Acquisition> which) {
        lock.lock();
        try {
            return which.size();
        } finally {
            lock.unlock();
        }
    }

    /** Names of locks that are held, sorted. */
    List<String> heldNames() {
        lock.lock();
        try {
            return held.stream().map(Acquisition::lock).distinct().sorted().toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs an action once, as soon as nothing is held. The check runs after all callbacks that are queued by now,
     * because the listener is told of a lock before its holder gets it.
     */
    void whenNothingIsHeld(Runnable action) {
        callbacks.execute(() -> look(action));
    }

    private void look(Runnable action) {
        lock.lock();
        try {
            if (!held.isEmpty()) {
                whenNothingIsHeld.add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    @Override
    public void contended(Acquisition what) {
        lock.lock();
        try {
            waiting.add(what);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void acquired(Acquisition what, Duration waited) {
        lock.lock();
        try {
            waiting.remove(what);
            held.add(what);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
        lock.lock();
        try {
            waiting.remove(what);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void released(Acquisition what, Duration heldFor) {
        ended(what);
    }

    @Override
    public void lost(Acquisition what, Duration heldFor, String reason) {
        ended(what);
    }

    private void ended(Acquisition what) {
        List<Runnable> due = List.of();
        lock.lock();
        try {
            held.remove(what);
            if (held.isEmpty()) {
                due = List.copyOf(whenNothingIsHeld);
                whenNothingIsHeld.clear();
            }
        } finally {
            lock.unlock();
        }
        due.forEach(this::whenNothingIsHeld);
    }
}
