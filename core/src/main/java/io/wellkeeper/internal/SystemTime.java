package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's monotonic clock, and one daemon thread for alarms. */
final class SystemTime implements Time, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");

    private final ScheduledThreadPoolExecutor alarms;

    SystemTime(String clientName) {
        alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "wellkeeper-timer-" + clientName);
            thread.setDaemon(true);
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
        alarms.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
        try {
            Future<?> alarm = alarms.schedule(() -> runGuarded(task), Door.nanos(delay), TimeUnit.NANOSECONDS);
            return () -> alarm.cancel(false);
        } catch (RejectedExecutionException closed) {
            return Registration.NONE;
        }
    }

    private static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable bug) {
            LOG.error("an alarm has thrown", bug);
        }
    }

    @Override
    public void close() {
        alarms.shutdownNow();
    }
}
