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
 * Time that stands still until a test moves it. What is scheduled runs on the thread that calls {@link #advance},
 * {@link #runUntilIdle} or {@link #call}, in the order of its moments and, for the same moment, in the order in which it
 * was scheduled: a run that schedules the same does the same. Thread-safe.
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

    /** Time at which nothing is scheduled yet. */
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

    /** As if what is running took so long: whatever becomes due meanwhile is late. */
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
     * @param delay from now; zero for what is due now
     * @return for that very moment, not before it
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
     * Moves time, and runs at its moment everything that becomes due.
     *
     * @param duration not negative
     */
    public void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        run(end);
        lock.lock();
        try {
            now = end - now > 0 ? end : now; // a task that was held up may have gone beyond
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves time to the moment of the next task, if that comes soon enough, and runs this one task.
     *
     * @param within not negative
     * @return false if nothing becomes due by then; time has not moved
     */
    public boolean advanceToNext(Duration within) {
        begin();
        try {
            return runNext(nanoTime() + within.toNanos());
        } finally {
            end();
        }
    }

    /** As {@link #advanceToNext}, in the midst of whatever runs: as if the thread that does it were held up meanwhile. */
    boolean interleave(Duration within) {
        return runNext(nanoTime() + within.toNanos());
    }

    /** Runs everything that is due now, and what becomes due by that, without moving time. */
    public void runUntilIdle() {
        run(nanoTime());
    }

    /**
     * Makes a call that blocks, on a thread of its own, while this thread runs whatever falls due. Time stands still.
     *
     * @param <T> what it returns
     * @param blocking such as {@code () -> LockClient.over(store, options)}
     * @return what it returned
     * @throws CompletionException with what it threw
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
