package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Makes tries after a pause, one at a time. Between any two of them, all other alarms that have become due are run
 * first. Otherwise a renewal would have to wait for thousands of tries in a client that waits for so many locks.
 */
final class Tries {

    private final Time time;
    private final Monitor lock = new Monitor(); // guards the line
    private final Deque<Runnable> due = new ArrayDeque<>(); // the first try is made next, or is being made

    Tries(Time time) {
        this.time = time;
    }

    /**
     * Makes a try after a pause.
     *
     * @return closing it cancels the try if its pause is not over yet
     */
    Registration schedule(Duration pause, Runnable attempt) {
        return time.schedule(pause, () -> add(attempt));
    }

    private void add(Runnable attempt) {
        boolean first;
        lock.lock();
        try {
            first = due.isEmpty();
            due.add(attempt);
        } finally {
            lock.unlock();
        }
        if (first) {
            makeSoon(attempt);
        }
    }

    private void makeSoon(Runnable attempt) {
        time.schedule(Duration.ZERO, () -> make(attempt));
    }

    private void make(Runnable attempt) {
        try {
            attempt.run();
        } finally {
            Runnable next;
            lock.lock();
            try {
                due.remove();
                next = due.peek();
            } finally {
                lock.unlock();
            }
            if (next != null) {
                makeSoon(next);
            }
        }
    }
}
