package io.wellkeeper.zookeeper;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has the tickets of one session be numbered in the order of the calls. Requests go out in that order, but one that has to be
 * sent again comes behind all that have gone out since. So when a queue is not known to have a node, without which the request is
 * refused, or when one is being sent again, those for tickets of the same queue that come later wait until it is known what
 * has become of the earlier ones.
 */
final class TakeOrder {

    private final ReentrantLock lock = new ReentrantLock(); // guards the lines; requests are sent without it
    private final Map<String, Line> lines = new HashMap<>(); // by queue

    private static final class Line {
        int underWay; // sent, and not over
        boolean held; // whoever comes has to wait
        boolean moving; // a thread sends what has waited, one after the other
        final Queue<Runnable> waiting = new ArrayDeque<>();
    }

    /**
     * Sends at once, or when it is its turn.
     *
     * @param known whether the queue is likely to have a node
     * @param over what is sent is over when this is complete
     */
    void send(String queue, boolean known, CompletableFuture<?> over, Runnable send) {
        Runnable begun;
        lock.lock();
        try {
            Line line = lines.computeIfAbsent(queue, unused -> new Line());
            Runnable next = () -> {
                over.whenComplete((done, failure) -> over(queue, line));
                send.run();
            };
            line.held |= !known && line.underWay > 0;
            if (line.held) {
                line.waiting.add(next);
                return;
            }
            begun = next;
            line.held = !known;
            line.underWay++;
        } finally {
            lock.unlock();
        }
        begun.run();
    }

    /** One that is under way is to be sent again. */
    void again(String queue) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            if (line != null) {
                line.held = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void over(String queue, Line line) {
        lock.lock();
        try {
            line.underWay--;
            if (line.underWay > 0 || line.moving) {
                return;
            }
            line.moving = true;
        } finally {
            lock.unlock();
        }
        for (Runnable next = next(queue, line); next != null; next = next(queue, line)) {
            next.run();
        }
    }

    private @Nullable Runnable next(String queue, Line line) {
        lock.lock();
        try {
            Runnable next = line.waiting.poll();
            if (next != null) {
                line.underWay++;
                return next;
            }
            line.moving = false;
            line.held = false;
            if (line.underWay == 0) {
                lines.remove(queue);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
