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
 * Makes sure that the tickets which one session takes in a queue are numbered in the order of the calls. Takes are sent
 * in that order, but a take that has to be sent again comes after all that were sent since.
 *
 * <p>So an unsent take waits while an earlier one has to be sent again, or may have to be. A take that was sent already
 * is <i>outrun</i> by an earlier one that is sent again later. It cannot be called back, so its ticket is not handed to
 * the caller, but given back and taken anew. Therefore a ticket counts only once all tickets of earlier calls count.
 *
 * <p>Only as many takes are sent as fill the {@link RequestWindow}. So few are outrun, and few wait for a take in
 * doubt.
 *
 * <p>If the queue is not known to have a node, its first take is sent alone: without the node, the request is refused.
 *
 * <p>A question whose answer must show the queue after certain takes is sent behind them. If one of these takes is
 * unsent yet, or any take is sent again before the answer, the question is asked when the takes are over.
 */
final class TakeOrder {

    private final ReentrantLock lock = new ReentrantLock(); // guards all below; not held while requests are sent
    private final Map<String, Line> lines = new HashMap<>(); // by queue
    private long calls; // numbers the takes of all queues: a late over() may meet a new line of the same queue
    private long repeats; // how often a take of any queue had to be sent again, or may have to be

    /**
     * The takes of one queue that are not over. A take may be in both sets while it is unknown whether it was carried
     * out.
     */
    private static final class Line {
        final NavigableSet<Turn> unsent =
                new TreeSet<>(comparingLong((Turn turn) -> turn.number)); // or to be sent again
        final NavigableSet<Turn> sent = new TreeSet<>(unsent.comparator()); // in number order: none is outrun
        final Queue<Turn> anew = new ArrayDeque<>(); // the unsent takes that have a ticket to give back first
        final Queue<Question> questions = new PriorityQueue<>(comparingLong(Question::last));
        boolean moving; // a thread is running the next actions of the takes, one after the other

        /** The take whose next action may run now; null if there is none. */
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

        /** The next take whose ticket counts from now on; null if there is none. */
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

        /** The number of the first take; larger than all numbers if there is no take. */
        long first() {
            long firstSent = sent.isEmpty() ? Long.MAX_VALUE : sent.first().number;
            return unsent.isEmpty() ? firstSent : Math.min(firstSent, unsent.first().number);
        }

        /** The number of the last take; 0 if there is none. */
        long last() {
            long lastSent = sent.isEmpty() ? 0 : sent.last().number;
            return unsent.isEmpty() ? lastSent : Math.max(lastSent, unsent.last().number);
        }
    }

    /**
     * A question that is asked when some takes are over.
     *
     * @param last the number of the last of these takes
     */
    private record Question(long last, Runnable ask) {}

    /**
     * The state of one queue's takes at some moment.
     *
     * @param last the number of the last take; 0 if there is none
     * @param out whether all takes have been sent
     * @param repeats see {@link #repeats}
     */
    private record Mark(long last, boolean out, long repeats) {}

    /** One take. */
    final class Turn {
        private final String queue;
        private final BooleanSupplier known;
        private final Runnable anew;
        private long number; // 0 before the first send
        private boolean ready; // to be sent
        private boolean numbered; // has a ticket
        private boolean over;
        private Runnable action = () -> {}; // the next step of this take

        /**
         * @param known whether the queue is likely to have a node
         * @param anew gives the ticket back when it was outrun, and sends the take again
         */
        Turn(String queue, BooleanSupplier known, Runnable anew) {
            this.queue = queue;
            this.known = known;
            this.anew = anew;
        }

        /**
         * Sends the take for the first time, or again when it is known to have no ticket. It goes out at once or when
         * its turn comes.
         */
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

        /** It is not known whether this take has a ticket. Until that is known, no later take is sent. */
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
         * This take has a ticket.
         *
         * @param counts run when all tickets of earlier calls count; then this take is over
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

        /** This take sends nothing more. */
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
     * Asks a question whose answer shows the queue as it is once all tickets that are being taken now have come, or
     * later.
     *
     * @param question run once or twice
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
                if (!sent) { // ZooKeeper's client threw an exception; the other takes go on
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
     * The take whose next action is to run, if there is one. The caller runs it, and then calls this method again.
     *
     * @param first whether this is the caller's first call; then it gets nothing if another thread runs actions already
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
