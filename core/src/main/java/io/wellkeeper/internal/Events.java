package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockListener.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the user's code, in order, on the callback executor, and survives whatever it throws. */
final class Events {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final long IDLE_SECONDS = 5;

    private final @Nullable LockListener listener;
    private final Executor executor;
    private final ThreadPoolExecutor own; // has a thread only while there is something to run

    Events(String clientName, Optional<LockListener> listener, Optional<Executor> executor) {
        this.listener = listener.orElse(null);
        this.own = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "wellkeeper-callbacks-" + clientName);
            thread.setDaemon(true);
            return thread;
        });
        own.allowCoreThreadTimeOut(true);
        this.executor = executor.orElse(own);
    }

    void contended(Acquisition what) {
        tell(l -> l.contended(what));
    }

    void acquired(Acquisition what, long waitedNanos) {
        tell(l -> l.acquired(what, Duration.ofNanos(waitedNanos)));
    }

    /** @param failure gives an exception for the listener; null if the request has not failed */
    void gaveUp(Acquisition what, long waitedNanos, Outcome outcome, Supplier<? extends @Nullable Throwable> failure) {
        tell(l -> l.gaveUp(what, Duration.ofNanos(waitedNanos), outcome, failure.get()));
    }

    void partlyReleased(Acquisition what, int permits) {
        tell(l -> l.partlyReleased(what, permits));
    }

    void handedOver(Acquisition what) {
        tell(l -> l.handedOver(what));
    }

    void released(Acquisition what, long heldNanos) {
        tell(l -> l.released(what, Duration.ofNanos(heldNanos)));
    }

    void lost(Acquisition what, long heldNanos, String reason) {
        LOG.warn("lock '{}' was lost: {}", what.lock(), reason);
        tell(l -> l.lost(what, Duration.ofNanos(heldNanos), reason));
    }

    void storeTrouble(String store, String problem) {
        LOG.warn("store {}: {}", store, problem);
        tell(l -> l.storeTrouble(store, problem));
    }

    private void tell(Consumer<LockListener> event) {
        LockListener told = listener;
        if (told != null && !handIn(executor, () -> event.accept(told))) {
            LOG.warn("the callback executor refuses; an event is not told");
        }
    }

    /**
     * Runs a task that must not be missed. It runs on the executor; if that refuses, on a thread of the client's own,
     * because the calling thread may be the store's; and on the calling thread only if there can be no other. It runs
     * once, even if the executor keeps a task that it refuses, as one does that cannot start a thread. Not to be called
     * under a lock.
     */
    void run(Runnable task) {
        AtomicBoolean begun = new AtomicBoolean();
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                task.run();
            }
        };
        if (!handIn(executor, once) && !handIn(own, once)) {
            runGuarded(once);
        }
    }

    /** Whatever an executor throws means that it has not taken the task. */
    private static boolean handIn(Executor executor, Runnable task) {
        assert Monitor.noneHeld() : "a callback is handed in under a monitor";
        try {
            executor.execute(() -> runGuarded(task));
            return true;
        } catch (Throwable refused) { // an error too: no more threads, or a class that is missing
            return false;
        }
    }

    /** Runs the user's code on this thread. */
    static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            LOG.warn("a callback has thrown", thrown);
        }
    }

    /**
     * From now on the client's own thread ends as soon as there is nothing to run. Tasks that were handed in before
     * still run, and so do later ones, such as that of a call that ends after the client was closed.
     */
    void close() {
        own.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
    }
}
