package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tries that come after a pause, one after the other: between any two of them all other alarms that have become due have their
 * turn. Otherwise a renewal would wait for thousands of tries, where so many locks are waited for and each try takes its time.
 */
final class Tries {

    private final Time time;
    private final Monitor lock = new Monitor(); // guards the line
    private final Deque<Runnable> due = new ArrayDeque<>(); // the first is to be made next, or is being made

    Tries(Time time) {
        this.time = time;
    }

    /**
     * Tries something later.
     *
     * @return closing it cancels it if its pause is not over
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
