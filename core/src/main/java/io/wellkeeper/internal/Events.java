package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the user's code, in order, on the callback executor, and survives whatever it throws. */
final class Events {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final long IDLE_SECONDS = 5;

    private final @Nullable LockListener listener;
    private final Executor executor;
    private final @Nullable ExecutorService own;

    Events(String clientName, Optional<LockListener> listener, Optional<Executor> executor) {
        this.listener = listener.orElse(null);
        if (executor.isPresent()) {
            this.executor = executor.get();
            this.own = null;
        } else {
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                        Thread thread = new Thread(task, "wellkeeper-callbacks-" + clientName);
                        thread.setDaemon(true);
                        return thread;
                    });
            pool.allowCoreThreadTimeOut(true);
            this.executor = pool;
            this.own = pool;
        }
    }

    void contended(String lock) {
        tell(l -> l.contended(lock));
    }

    void acquired(String lock, long waitedNanos) {
        tell(l -> l.acquired(lock, Duration.ofNanos(waitedNanos)));
    }

    void handedOver(String lock) {
        tell(l -> l.handedOver(lock));
    }

    void released(String lock, long heldNanos) {
        tell(l -> l.released(lock, Duration.ofNanos(heldNanos)));
    }

    void lost(String lock, long heldNanos, String reason) {
        LOG.warn("lock '{}' was lost: {}", lock, reason);
        tell(l -> l.lost(lock, Duration.ofNanos(heldNanos), reason));
    }

    void storeTrouble(String store, String problem) {
        LOG.warn("store {}: {}", store, problem);
        tell(l -> l.storeTrouble(store, problem));
    }

    private void tell(Consumer<LockListener> event) {
        LockListener told = listener;
        if (told != null && !handIn(() -> event.accept(told))) {
            LOG.warn("the callback executor refuses; an event is not told");
        }
    }

    /** Runs what must not be missed: on the executor, or on this thread if that refuses. Not to be called under a lock. */
    void run(Runnable task) {
        if (!handIn(task)) {
            runGuarded(task);
        }
    }

    private boolean handIn(Runnable task) {
        assert Monitor.noneHeld() : "a callback is handed in under a monitor";
        try {
            executor.execute(() -> runGuarded(task));
            return true;
        } catch (RuntimeException | OutOfMemoryError refused) { // an error: no more threads
            return false;
        }
    }

    private static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            LOG.warn("a callback has thrown", thrown);
        }
    }

    /** What was handed in before still runs. */
    void close() {
        if (own != null) {
            own.shutdown();
        }
    }
}
