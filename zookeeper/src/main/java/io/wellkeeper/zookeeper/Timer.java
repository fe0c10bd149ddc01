package io.wellkeeper.zookeeper;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Does things later, on a daemon thread of this module's own, which ends when there has been nothing to do for a moment. The
 * one that the JDK has for that is everybody's: whoever blocks it would hold up the removal of tickets.
 */
final class Timer {

    private static final ScheduledThreadPoolExecutor ALARMS = alarms();

    private Timer() {}

    private static ScheduledThreadPoolExecutor alarms() {
        ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "wellkeeper-zookeeper-timer");
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
}
