package io.wellkeeper.zookeeper;

import static java.util.Comparator.comparingLong;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the tickets of one session be numbered in the order of the calls. Requests go out in that order, but one that has to be
 * sent again comes behind all that have gone out since.
 *
 * <p>So what has not gone out waits for whatever comes before it and is to be sent again, or may have to be. What has gone out is
 * outrun by what comes before it and is sent again later: nobody can call it back, so its ticket is told to nobody, but given
 * back, and taken anew. Therefore a ticket counts once all that come before it do.
 *
 * <p>No more go out than keep the {@link RequestWindow} filled, so that few are outrun, and few wait for one that is in doubt.
 *
 * <p>The first ticket of a queue that is not known to have a node, without which the request is refused, goes alone.
 *
 * <p>What is asked behind takes, and is to show how things are when their tickets have come, goes out with them. If one has not
 * gone out yet, or is sent again before the answer, it is asked when they are over.
 */
final class TakeOrder {

    private final ReentrantLock lock = new ReentrantLock(); // guards all below; nothing is sent or told with it held
    private final Map<String, Line> lines = new HashMap<>(); // by queue
    private long calls; // numbers them, of all queues: a turn may say that it is over when its line is another by then
    private long repeats; // how often one of them, of whatever queue, was to be sent again, or may have to be

    /** The takes of one queue that are not over. One of which nobody knows if it was carried out may be in both sets. */
    private static final class Line {
        final NavigableSet<Turn> unsent =
                new TreeSet<>(comparingLong((Turn turn) -> turn.number)); // or to be sent again
        final NavigableSet<Turn> sent = new TreeSet<>(unsent.comparator()); // in this order: not outrun
        final Queue<Turn> anew = new ArrayDeque<>(); // those of the unsent that have a ticket to give back
        final Queue<Question> questions = new PriorityQueue<>(comparingLong(Question::last));
        boolean moving; // a thread has them do what they may, one after the other

        /** Who may do something; null if nobody. */
        @Nullable
        Turn next() {
            if (!anew.isEmpty()) {
                return anew.remove();
            }
            if (unsent.isEmpty()) {
                return null;
            }
            Turn first = unsent.first();
            if (!first.ready || !first.known.getAsBoolean() && !noneBefore(first, sent)) {
                return null;
            }
            if (noneBehind(first) && sent.size() >= RequestWindow.SIZE) {
                return null;
            }
            unsent.remove(first);
            first.ready = false;
            while (!noneBehind(first)) {
                outrun(sent.last());
            }
            sent.add(first);
            return first;
        }

        private void outrun(Turn turn) {
            sent.remove(turn);
            unsent.add(turn);
            if (turn.numbered) {
                turn.numbered = false;
                turn.action = turn.anew;
                anew.add(turn);
            }
        }

        /** Whose ticket counts from now on; null if nobody's. */
        @Nullable
        Turn settled() {
            if (sent.isEmpty() || !sent.first().numbered || !noneBefore(sent.first(), unsent)) {
                return null;
            }
            Turn first = sent.first();
            sent.remove(first);
            first.over = true;
            return first;
        }

        private static boolean noneBefore(Turn turn, NavigableSet<Turn> others) {
            return others.isEmpty() || others.first().number >= turn.number;
        }

        private boolean noneBehind(Turn turn) {
            return sent.isEmpty() || sent.last().number < turn.number;
        }

        boolean isEmpty() {
            return sent.isEmpty() && unsent.isEmpty();
        }

        /** The number of the first; larger than all if there is none. */
        long first() {
            long firstSent = sent.isEmpty() ? Long.MAX_VALUE : sent.first().number;
            return unsent.isEmpty() ? firstSent : Math.min(firstSent, unsent.first().number);
        }

        /** The number of the last; 0 if there is none. */
        long last() {
            long lastSent = sent.isEmpty() ? 0 : sent.last().number;
            return unsent.isEmpty() ? lastSent : Math.max(lastSent, unsent.last().number);
        }
    }

    /**
     * What is asked when some takes are over.
     *
     * @param last the number of the last of them
     */
    private record Question(long last, Runnable ask) {}

    /**
     * Some takes of one queue.
     *
     * @param last the number of the last that there is; 0 if there is none
     * @param out whether all have gone out
     * @param repeats see {@link #repeats}
     */
    private record Mark(long last, boolean out, long repeats) {}

    /** One take. */
    final class Turn {
        private final String queue;
        private final BooleanSupplier known;
        private final Runnable anew;
        private long number; // 0 as long as nothing is to be sent
        private boolean ready; // to send
        private boolean numbered;
        private boolean over;
        private Runnable action = () -> {}; // what it does next

        /**
         * @param known whether the queue is likely to have a node
         * @param anew gives the ticket back, which was outrun, and sends again
         */
        Turn(String queue, BooleanSupplier known, Runnable anew) {
            this.queue = queue;
            this.known = known;
            this.anew = anew;
        }

        /** Sends for the first time, or again after it is known that there is no ticket: at once, or when it is its turn. */
        void send(Runnable requests) {
            lock.lock();
            try {
                if (over) {
                    return;
                }
                Line line = lines.computeIfAbsent(queue, unused -> new Line());
                if (number == 0) {
                    number = ++calls;
                } else {
                    repeats++;
                }
                line.sent.remove(this);
                line.unsent.add(this);
                ready = true;
                action = requests;
            } finally {
                lock.unlock();
            }
            move(queue);
        }

        /** Nobody knows if there is a ticket. Until that is known nothing goes out that comes later. */
        void doubted() {
            lock.lock();
            try {
                Line line = lines.get(queue);
                if (line != null && !over) {
                    line.unsent.add(this);
                    repeats++;
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * There is a ticket.
         *
         * @param counts run when it is known that the ticket is in order; then this is over
         */
        void numbered(Runnable counts) {
            boolean inOrder;
            lock.lock();
            try {
                Line line = lines.get(queue);
                inOrder = line != null && line.sent.contains(this);
                if (line != null && inOrder) {
                    line.unsent.remove(this);
                    numbered = true;
                    action = counts;
                }
            } finally {
                lock.unlock();
            }
            if (!inOrder) {
                anew.run();
            }
            settle(queue);
            move(queue);
        }

        /** It sends nothing more. */
        void over() {
            lock.lock();
            try {
                over = true;
                Line line = lines.get(queue);
                if (line != null) {
                    line.unsent.remove(this);
                    line.sent.remove(this);
                    line.anew.remove(this);
                }
            } finally {
                lock.unlock();
            }
            settle(queue);
            move(queue);
        }
    }

    private void settle(String queue) {
        for (Turn next = settled(queue); next != null; next = settled(queue)) {
            next.action.run();
        }
        for (Question next = question(queue); next != null; next = question(queue)) {
            next.ask.run();
        }
    }

    /**
     * Asks something whose answer is to show how things are when the tickets have come that are being taken by now, or later.
     *
     * @param question asked once or twice
     */
    <T> CompletionStage<T> behind(String queue, Supplier<CompletionStage<T>> question) {
        Mark mark = mark(queue);
        if (mark.last == 0) {
            return question.get();
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        if (mark.out) {
            CompletionStage<T> asked = question.get();
            asked.whenComplete((answer, failure) -> {
                if (mark(queue).repeats == mark.repeats) {
                    Stages.pass(asked, result);
                } else {
                    whenOver(queue, mark, question, result);
                }
            });
        } else {
            whenOver(queue, mark, question, result);
        }
        return result;
    }

    private Mark mark(String queue) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            return line == null
                    ? new Mark(0, true, repeats)
                    : new Mark(line.last(), line.unsent.isEmpty() && !line.moving, repeats);
        } finally {
            lock.unlock();
        }
    }

    private <T> void whenOver(
            String queue, Mark mark, Supplier<CompletionStage<T>> question, CompletableFuture<T> result) {
        Runnable ask = () -> Stages.pass(question.get(), result);
        lock.lock();
        try {
            Line line = lines.get(queue);
            if (line != null && line.first() <= mark.last) {
                line.questions.add(new Question(mark.last, ask));
                return;
            }
        } finally {
            lock.unlock();
        }
        ask.run();
    }

    private @Nullable Question question(String queue) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            Question first = line == null ? null : line.questions.peek();
            return line == null || first == null || first.last >= line.first() ? null : line.questions.remove();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Turn settled(String queue) {
        lock.lock();
        try {
            Line line = lines.get(queue);
            return line == null ? null : line.settled();
        } finally {
            lock.unlock();
        }
    }

    private void move(String queue) {
        for (Turn next = next(queue, true); next != null; next = next(queue, false)) {
            boolean sent = false;
            try {
                next.action.run();
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
     * Who is to do something, if anybody is; who asks has him do it, and asks once more.
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
            Turn next = line.next();
            line.moving = next != null;
            if (line.isEmpty() && line.questions.isEmpty()) {
                lines.remove(queue);
            }
            return next;
        } finally {
            lock.unlock();
        }
    }
}
