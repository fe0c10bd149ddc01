package io.wellkeeper.zookeeper;

import static java.util.Comparator.comparingLong;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the tickets of one session be numbered in the order of the calls. Requests go out in that order, but one that has to be
 * sent again comes behind all that have gone out since. So whoever sends again for a ticket does so when nothing earlier of the
 * same queue is under way, and what comes later and has not gone out waits until that is over. Likewise for the first ticket of
 * a queue that is not known to have a node, without which the request is refused.
 *
 * <p>Not in order is a ticket whose request is handed to ZooKeeper's client between the break of a connection and the moment
 * in which that says what was lost, as one that waits in the {@link RequestWindow} may be: nobody can call it back.
 */
final class TakeOrder {

    private final ReentrantLock lock = new ReentrantLock(); // guards all below; requests are sent without it
    private final Map<String, Line> lines = new HashMap<>(); // by queue

    /** The takes of one queue that are not over. */
    private static final class Line {
        final Deque<Turn> turns = new ArrayDeque<>(); // in the order of the calls
        final PriorityQueue<Turn> waiting = new PriorityQueue<>(comparingLong((Turn turn) -> turn.number)); // of those
        long calls;
        boolean moving; // a thread sends what has waited, one after the other
    }

    /** One take. */
    final class Turn {
        private final String queue;
        private final BooleanSupplier known;
        private long number; // 0 as long as nothing is to be sent
        private Runnable requests = () -> {}; // to be sent next
        private boolean alone; // has to be the first, and all others wait until it is over

        /** @param known whether the queue is likely to have a node */
        Turn(String queue, BooleanSupplier known) {
            this.queue = queue;
            this.known = known;
        }

        /** Sends for the first time, or again, at once or when it is its turn. */
        void send(Runnable these) {
            lock.lock();
            try {
                Line line = lines.computeIfAbsent(queue, unused -> new Line());
                if (number == 0) {
                    number = ++line.calls;
                    line.turns.add(this);
                } else {
                    alone = true;
                }
                requests = these;
                line.waiting.add(this);
            } finally {
                lock.unlock();
            }
            move(queue);
        }

        /** It sends nothing more. */
        void over() {
            lock.lock();
            try {
                Line line = lines.get(queue);
                if (line != null) {
                    line.turns.remove(this);
                }
            } finally {
                lock.unlock();
            }
            move(queue);
        }
    }

    private void move(String queue) {
        for (Turn next = next(queue, true); next != null; next = next(queue, false)) {
            boolean sent = false;
            try {
                next.requests.run();
                sent = true;
            } finally {
                if (!sent) { // ZooKeeper's client refuses it; the others go on
                    next.over();
                    stop(queue);
                }
            }
        }
    }

    private void stop(String queue) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            if (line != null) {
                line.moving = false;
            }
        } finally {
            lock.unlock();
        }
        move(queue);
    }

    /**
     * Whose turn it is, if it is anybody's; who asks has him send, and asks once more.
     *
     * @param first whether it is asked for the first time; somebody else may be at it
     */
    private @Nullable Turn next(String queue, boolean first) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            if (line == null || first && line.moving) {
                return null;
            }
            Turn next = line.waiting.peek();
            line.moving = next != null && mayGo(next, line.turns.element());
            if (line.moving) {
                return line.waiting.remove();
            }
            if (line.turns.isEmpty()) {
                lines.remove(queue);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** The lock is held. */
    private static boolean mayGo(Turn next, Turn head) {
        if (next == head) {
            next.alone |= !next.known.getAsBoolean();
            return true;
        }
        return !head.alone && !next.alone && next.known.getAsBoolean();
    }
}
