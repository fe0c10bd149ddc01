package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The machine's clock, and one daemon thread. */
final class ServerTime implements Time, AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ScheduledThreadPoolExecutor executor;

    ServerTime() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "in-memory-server-" + COUNT.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        // a task that is scheduled after the shutdown is dropped
        executor.setRejectedExecutionHandler(new ScheduledThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
        Future<?> future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
