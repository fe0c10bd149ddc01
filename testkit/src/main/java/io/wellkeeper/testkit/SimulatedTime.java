package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that stands still until a test moves it. Scheduled tasks run on the thread that calls {@link #advance},
 * {@link #runUntilIdle} or {@link #call}: in the order of their moments and, for the same moment, in the order in which
 * they were scheduled. So a test that schedules the same tasks runs in the same way each time. Thread-safe.
 *
 * <pre>{@code
 * SimulatedTime time = new SimulatedTime();
 * ClientOptions options = ClientOptions.builder().time(time).callbackExecutor(time.executor()).build();
 * ...
 * CompletableFuture<Optional<LockHandle>> attempt = lock.tryAcquireAsync(Duration.ofMinutes(1));
 * time.advance(Duration.ofMinutes(1));
 * assertThat(attempt).isCompletedWithValue(Optional.empty());
 * }</pre>
 *
 * <p>{@link #nanoTime()} overflows after the first ten seconds, as the machine's clock may.
 */
public final class SimulatedTime implements Time {

    private static final int ENDLESS = 1_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Event> events = new PriorityQueue<>(); // guarded by lock
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(10); // guarded by lock
    private long scheduled; // guarded by lock
    private boolean running; // guarded by lock

    private record Event(long due, long order, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            long difference = due - other.due;
            return difference != 0 ? Long.signum(difference) : Long.compare(order, other.order);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(order);
        }
    }

    /** Makes a time without scheduled tasks. */
    public SimulatedTime() {}

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay is negative: " + delay);
        }
        lock.lock();
        try {
            Event event = new Event(now + delay.toNanos(), scheduled++, task);
            events.add(event);
            changed.signalAll();
            return () -> cancel(event);
        } finally {
            lock.unlock();
        }
    }

    private void cancel(Event event) {
        lock.lock();
        try {
            events.remove(event);
        } finally {
            lock.unlock();
        }
    }

    /** Moves time as if the running task took so long: tasks that become due meanwhile run late. */
    void pass(Duration duration) {
        lock.lock();
        try {
            now += duration.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** {@return an executor that runs tasks as events of this time, one after the other} */
    public Executor executor() {
        return task -> schedule(Duration.ZERO, task);
    }

    /** {@return how many tasks are scheduled} */
    public int pending() {
        lock.lock();
        try {
            return events.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * How many tasks are scheduled for the moment at which this much time will have passed.
     *
     * @param delay from now; zero for the tasks that are due now
     * @return the number of tasks for exactly this moment, without those before it
     */
    public int pendingAfter(Duration delay) {
        lock.lock();
        try {
            long moment = now + delay.toNanos();
            return (int) events.stream().filter(event -> event.due == moment).count();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves time, and runs each task that becomes due, at its moment.
     *
     * @param duration not negative
     */
    public void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        run(end);
        lock.lock();
        try {
            now = end - now > 0 ? end : now; // a task that was held up may have moved time further
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves time to the moment of the next task and runs this one task, if the moment is not later than a limit.
     *
     * @param within the limit, counted from now; not negative
     * @return false if no task becomes due within the limit; then time has not moved
     */
    public boolean advanceToNext(Duration within) {
        begin();
        try {
            return runNext(nanoTime() + within.toNanos());
        } finally {
            end();
        }
    }

    /**
     * As {@link #advanceToNext}, but called by a running task, as if the thread of that task were held up meanwhile.
     */
    boolean interleave(Duration within) {
        return runNext(nanoTime() + within.toNanos());
    }

    /** Runs each task that is due now, and each that becomes due by running them, without moving time. */
    public void runUntilIdle() {
        run(nanoTime());
    }

    /**
     * Makes a blocking call on a thread of its own, while this thread runs the tasks that are due. Time stands still.
     *
     * @param <T> the type of the call's result
     * @param blocking the call, such as {@code () -> LockClient.over(store, options)}
     * @return the call's result
     * @throws CompletionException if the call threw an exception or error, which is the cause
     */
    public <T> T call(Callable<T> blocking) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread caller = new Thread(
                () -> {
                    try {
                        result.complete(blocking.call());
                    } catch (Throwable failure) { // an error too, such as of an assertion
                        result.completeExceptionally(failure);
                    } finally {
                        lock.lock();
                        try {
                            changed.signalAll();
                        } finally {
                            lock.unlock();
                        }
                    }
                },
                "simulated-caller");
        caller.setDaemon(true);
        caller.start();
        while (!result.isDone()) {
            runUntilIdle();
            lock.lock();
            try {
                while (!result.isDone() && !isDue(now)) {
                    changed.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }
        return result.join();
    }

    private boolean isDue(long end) {
        Event next = events.peek();
        return next != null && next.due - end <= 0;
    }

    private void run(long end) {
        begin();
        try {
            for (int count = 0; runNext(end); count++) {
                if (count == ENDLESS) {
                    throw new IllegalStateException(ENDLESS + " tasks ran, and there are always more");
                }
            }
        } finally {
            end();
        }
    }

    private void begin() {
        lock.lock();
        try {
            if (running) {
                throw new IllegalStateException("time is moved by a task that time itself runs, or by two threads");
            }
            running = true;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        running = false;
        lock.unlock();
    }

    private boolean runNext(long end) {
        Event next;
        lock.lock();
        try {
            if (!isDue(end)) {
                return false;
            }
            next = events.remove();
            if (next.due - now > 0) {
                now = next.due;
            }
        } finally {
            lock.unlock();
        }
        next.task.run();
        return true;
    }
}
