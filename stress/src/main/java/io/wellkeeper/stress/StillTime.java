package io.wellkeeper.stress;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time that stands still until {@link #pass}, which runs on its thread the tasks that fall due. Thread-safe. */
final class StillTime implements Time {

    private record Alarm(long due, Runnable task) {}

    private final List<Alarm> alarms = new ArrayList<>(); // guarded by itself
    private volatile long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
        Alarm alarm = new Alarm(now + delay.toNanos(), task);
        synchronized (alarms) {
            alarms.add(alarm);
        }
        return () -> {
            synchronized (alarms) {
                alarms.remove(alarm);
            }
        };
    }

    /** To be called by one thread only. */
    void pass(Duration duration) {
        now += duration.toNanos();
        List<Alarm> due = new ArrayList<>();
        synchronized (alarms) {
            alarms.removeIf(alarm -> alarm.due() <= now && due.add(alarm));
        }
        due.forEach(alarm -> alarm.task().run());
    }
}
