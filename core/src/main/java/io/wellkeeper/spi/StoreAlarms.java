package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The alarms of all stores of a program. */
final class StoreAlarms {

    private static final ScheduledThreadPoolExecutor ALARMS = alarms();

    private StoreAlarms() {}

    private static ScheduledThreadPoolExecutor alarms() {
        ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "wellkeeper-stores-timer");
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // else it would be that of the first caller
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
        alarms.setKeepAliveTime(250, TimeUnit.MILLISECONDS);
        alarms.allowCoreThreadTimeOut(true);
        return alarms;
    }

    static Registration after(Duration delay, Runnable task) {
        Future<?> alarm = ALARMS.schedule(task, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
        return () -> alarm.cancel(false);
    }
}
