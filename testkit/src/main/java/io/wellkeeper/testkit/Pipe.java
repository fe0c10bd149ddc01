package io.wellkeeper.testkit;

import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One direction of a connection: delivers messages on the server's thread, first in, first out. */
final class Pipe {

    private record Message(long due, Runnable delivery) {}

    private final Time time;
    private final BooleanSupplier held;
    private final Deque<Message> messages = new ArrayDeque<>(); // guarded by itself
    private boolean delivering; // guarded by messages

    /**
     * @param held nothing is delivered while this is true; {@link #release} is to be called when it ends
     */
    Pipe(Time time, BooleanSupplier held) {
        this.time = time;
        this.held = held;
    }

    void send(Duration delay, Runnable delivery) {
        synchronized (messages) {
            messages.add(new Message(time.nanoTime() + delay.toNanos(), delivery));
            time.schedule(delay, this::deliver);
        }
    }

    void release() {
        time.schedule(Duration.ZERO, this::deliver);
    }

    /**
     * Delivers the messages that are due. A message delays the faster ones behind it, and its own timer delivers them
     * all. A message that falls due while another one is being delivered is delivered after it.
     */
    private void deliver() {
        synchronized (messages) {
            if (delivering) {
                return;
            }
            delivering = true;
        }
        try {
            for (Runnable next = next(); next != null; next = next()) {
                next.run();
            }
        } finally {
            synchronized (messages) {
                delivering = false;
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (messages) {
            Message head = messages.peek();
            if (head == null || head.due() - time.nanoTime() > 0 || held.getAsBoolean()) {
                return null;
            }
            return messages.remove().delivery();
        }
    }
}
