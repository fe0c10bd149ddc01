package io.wellkeeper.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Does things later, on a daemon thread of this module's own, which ends when there has been nothing to do for a moment. The
 * one that the JDK has for that is everybody's: whoever blocks it would keep a session from connecting again.
 */
final class Timer {

    private static final ScheduledThreadPoolExecutor ALARMS = alarms();

    private Timer() {}

    private static ScheduledThreadPoolExecutor alarms() {
        ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "wellkeeper-redis-timer");
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // not that of whoever happens to come first
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
        alarms.setKeepAliveTime(250, TimeUnit.MILLISECONDS);
        alarms.allowCoreThreadTimeOut(true);
        return alarms;
    }

    /**
     * @param task never blocks
     * @return to cancel it
     */
    static Future<?> after(Duration delay, Runnable task) {
        return ALARMS.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The same future, which fails with {@link TimeoutException} if it is not complete by then. */
    static <T> CompletableFuture<T> limit(CompletableFuture<T> future, Duration most) {
        Future<?> alarm = after(most, () -> future.completeExceptionally(new TimeoutException()));
        future.whenComplete((done, failure) -> alarm.cancel(false));
        return future;
    }
}
