package io.wellkeeper.spring;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how long a call holds its lock. If the call holds it too long, a warning is logged and its thread is
 * interrupted. The interrupt comes once, and never after the thread has left the method.
 */
final class Overtime {

    private static final Logger LOG = LoggerFactory.getLogger(Overtime.class);

    private enum State {
        IN_METHOD,
        UNDER_WAY,
        INTERRUPTED,
        LEFT
    }

    private final LockedMethod method;
    private final Set<String> names;
    private final Duration longest;
    private final @Nullable Thread thread;
    private final AtomicReference<State> state;
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /**
     * Begins to watch a call.
     *
     * @param thread the thread that is in the method; null if there is none
     * @return null if the call may last without a limit
     */
    static @Nullable Overtime watch(LockedMethod method, Set<String> names, @Nullable Thread thread) {
        Duration longest = method.maxHold();
        return longest == null ? null : new Overtime(method, names, longest, thread);
    }

    private Overtime(LockedMethod method, Set<String> names, Duration longest, @Nullable Thread thread) {
        this.method = method;
        this.names = names;
        this.longest = longest;
        this.thread = thread;
        this.state = new AtomicReference<>(thread == null ? State.LEFT : State.IN_METHOD);
        over.orTimeout(longest.toNanos(), TimeUnit.NANOSECONDS).whenComplete((ended, passed) -> {
            if (passed instanceof TimeoutException) {
                tell();
            }
        });
    }

    /** Runs on the thread that the JDK uses for all timeouts, so this must not wait for a log. */
    private void tell() {
        Throwable where = new Throwable("here it is");
        if (thread != null && state.compareAndSet(State.IN_METHOD, State.UNDER_WAY)) {
            where.setStackTrace(thread.getStackTrace());
            thread.interrupt();
            state.set(State.INTERRUPTED);
        }
        CompletableFuture.runAsync(() -> LOG.warn(
                "{} holds {} for longer than {}, and goes on to until it ends", method, names, longest, where));
    }

    /** The thread leaves the method, whose lock may be held longer. An interrupt by this class does not stay set. */
    void leave() {
        if (thread != null && !state.compareAndSet(State.IN_METHOD, State.LEFT)) {
            while (state.get() == State.UNDER_WAY) {
                Thread.yield();
            }
            Thread.interrupted();
        }
    }

    /** The call has given up its lock. */
    void end() {
        over.complete(true);
    }
}
