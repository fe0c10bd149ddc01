package io.wellkeeper.internal;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks, all or none, in rounds. A round tries all that are still missing at once, without waiting.
 * All locks after the first refused one are given back. Then the attempt waits for the refused lock, and the next round
 * begins:
 *
 * <pre>
 *   a b c d    try all:  a yes, b no, c yes, d yes   keep a, give c and d back
 *     b        wait for b
 *       c d    try all:  c yes, d yes                done
 * </pre>
 *
 * <p>So it never waits for a lock while it holds a later one, and two attempts for the same locks, in whatever order,
 * cannot wait for each other. There is one deadline for the whole attempt. It blocks no thread.
 *
 * <p>An attempt that may not wait tries one lock after the other. Otherwise, of several attempts for the same locks at
 * the same moment, each could get some, be refused the rest because of that, and no attempt would get all.
 */
final class MultiAttempt {

    /** Acquired: one for each lock, in their order; empty if the time has passed or it was cancelled. */
    private final CompletableFuture<List<Hold>> outcome = new CompletableFuture<>();

    private final List<NamedLock> locks;
    private final @Nullable Thread owner;
    private final boolean mayWait;
    private final boolean forEver;
    private final Time time;
    private final long began;
    private final long deadline;
    private final long storeTimeout;

    // Written by one round at a time: the last answer of a round continues.
    private final @Nullable Hold[] holds;
    private @Nullable RuntimeException failure; // why it ends
    private final List<Request> asked = new CopyOnWriteArrayList<>();
    private volatile Request.@Nullable No ended; // why it was ended from outside

    /**
     * @param owner the thread that will own the holds; null for a handle
     * @param nanos zero not to wait in any queue, and for the store no longer than for its timeout; negative for no
     *     limit
     */
    MultiAttempt(List<NamedLock> locks, @Nullable Thread owner, long nanos, AbstractClient client) {
        this.locks = locks;
        this.owner = owner;
        this.mayWait = nanos != 0;
        this.forEver = nanos < 0;
        this.time = client.time();
        this.storeTimeout = client.storeTimeout().toNanos();
        this.began = time.nanoTime();
        this.deadline = began + (mayWait ? nanos : storeTimeout);
        this.holds = new @Nullable Hold[locks.size()];
    }

    CompletableFuture<List<Hold>> start() {
        Line.begin(() -> tryFrom(0, began));
        return outcome;
    }

    /**
     * The steps that a thread runs for one attempt after another. What one attempt gives back may be acquired by the
     * next at once, and of the waiting attempts there may be more than a stack has room for. Outcomes are told when no
     * step is left, because the code that is told may block.
     */
    private static final class Line {

        private static final ThreadLocal<@Nullable Line> CURRENT = new ThreadLocal<>();

        private final Deque<Runnable> steps = new ArrayDeque<>();
        private final Deque<Runnable> outcomes = new ArrayDeque<>();

        /**
         * Runs this step now, and all steps that follow from it, also if a user's callback calls this in the midst of
         * another step.
         */
        static void begin(Runnable step) {
            Line before = CURRENT.get();
            Line line = new Line();
            line.steps.add(step);
            CURRENT.set(line);
            try {
                runAll(line.steps);
            } finally {
                CURRENT.set(before);
                runAll(line.outcomes);
            }
        }

        /** Runs this step as soon as the current steps of this thread are done. */
        static void add(Runnable step) {
            Line current = CURRENT.get();
            if (current == null) {
                begin(step);
            } else {
                current.steps.add(step);
            }
        }

        static void tell(Runnable outcome) {
            Objects.requireNonNull(CURRENT.get()).outcomes.add(outcome);
        }

        /** Runs all tasks, also if one of them throws. */
        private static void runAll(Deque<Runnable> tasks) {
            try {
                while (!tasks.isEmpty()) {
                    tasks.remove().run();
                }
            } finally {
                if (!tasks.isEmpty()) {
                    runAll(tasks);
                }
            }
        }
    }

    /** Tries all missing locks, but waits at once for the last one. If it may not wait, it tries only the next one. */
    private void tryFrom(int first, long now) {
        if (first == locks.size()) {
            finish();
        } else if (mayWait && first == locks.size() - 1) {
            await(first, now, null);
        } else {
            new Round(first, mayWait ? locks.size() : first + 1, false, now).ask();
        }
    }

    /** Completes with all holds. If a hold was lost while others were waited for, all locks are acquired anew. */
    private void finish() {
        List<Hold> all = Arrays.stream(holds).map(Objects::requireNonNull).toList();
        if (all.stream().allMatch(Hold::isHeld)) {
            Line.tell(() -> outcome.complete(all));
        } else if (mayWait) {
            giveBack(0);
            tryFrom(0, time.nanoTime());
        } else {
            giveUp();
        }
    }

    /**
     * Waits for one lock, unless something has gone wrong, or the time has passed.
     *
     * @param since when the request was sent that the store has not answered yet; now, if it has answered
     * @param unanswered why there is no answer; null if there is one
     */
    private void await(int index, long since, @Nullable RuntimeException unanswered) {
        if (failure == null && (forEver || deadline - time.nanoTime() > 0)) {
            new Round(index, index + 1, true, since).ask();
            return;
        }
        if (failure == null) {
            failure = unanswered;
        }
        giveUp();
    }

    /** The locks that are requested at the same time. */
    private final class Round {

        private final int from;
        private final int to;
        private final boolean waits;
        private final long since;
        private final AtomicInteger open;
        private final @Nullable RuntimeException[] failures; // in the order of the requests

        Round(int from, int to, boolean waits, long since) {
            this.from = from;
            this.to = to;
            this.waits = waits;
            this.since = since;
            this.open = new AtomicInteger(to - from);
            this.failures = new @Nullable RuntimeException[to - from];
        }

        void ask() {
            for (int i = from; i < to; i++) {
                int index = i;
                try {
                    remember(locks.get(i)
                            .door()
                            .begin(owner, waits, since, limit(), decided -> answered(index, decided)));
                } catch (RuntimeException refused) {
                    failures[index - from] = refused;
                    countDown();
                }
            }
        }

        /** The time limit of a request: for a try, the store's timeout; never more than is left of the whole. */
        private long limit() {
            if (forEver) {
                return waits ? -1 : storeTimeout;
            }
            long left = Math.max(0, deadline - since);
            return waits ? left : Math.min(left, storeTimeout);
        }

        private void answered(int index, Request decided) {
            decided.endAlarm();
            try {
                holds[index] =
                        Request.read(Objects.requireNonNull(decided.outcome())).orElse(null);
            } catch (RuntimeException failed) {
                failures[index - from] = failed;
            }
            countDown();
        }

        private void countDown() {
            if (open.decrementAndGet() == 0) {
                Line.add(this::next);
            }
        }

        /** All requests of this round are answered. */
        private void next() {
            int refused = from;
            while (refused < to && holds[refused] != null) {
                refused++;
            }
            if (failure == null) {
                failure = Arrays.stream(failures)
                        .filter(this::isFinal)
                        .findFirst()
                        .orElse(null);
            }
            if (failure != null || ended != null) {
                giveUp();
            } else if (refused == to) {
                tryFrom(to, time.nanoTime());
            } else if (!waits && mayWait) {
                RuntimeException unanswered = failures[refused - from];
                giveBack(refused);
                await(refused, unanswered == null ? time.nanoTime() : since, unanswered);
            } else {
                giveUp();
            }
        }

        /**
         * Whether a failure ends the whole attempt. If the store only does not answer a try, the attempt waits for the
         * lock next, and so for the store.
         */
        private boolean isFinal(@Nullable RuntimeException failed) {
            return failed != null
                    && (waits
                            || !mayWait
                            || !(failed instanceof LockStoreException)
                            || failed.getCause() instanceof StoreRefusalException);
        }
    }

    private void remember(Request request) {
        asked.removeIf(Request::isDecided);
        asked.add(request);
        Request.No why = ended;
        if (why != null) {
            request.withdraw(why);
        }
    }

    private void giveUp() {
        giveBack(0);
        RuntimeException reason = failure;
        if (reason == null) {
            Line.tell(() -> outcome.complete(List.of()));
        } else {
            Line.tell(() -> outcome.completeExceptionally(reason));
        }
    }

    private void giveBack(int from) {
        for (int i = holds.length - 1; i >= from; i--) {
            Hold hold = holds[i];
            holds[i] = null;
            if (hold != null) {
                giveBack(hold);
            }
        }
    }

    private void giveBack(Hold hold) {
        try {
            Door.giveBack(hold);
        } catch (RuntimeException thrown) {
            if (failure == null) {
                failure = thrown;
            } else if (failure != thrown) {
                failure.addSuppressed(thrown);
            }
        }
    }

    /** Leaves the queues; the outcome comes at once. */
    void cancel() {
        end(Request.No.CANCELLED);
    }

    private void end(Request.No why) {
        ended = why;
        asked.forEach(request -> request.withdraw(why));
    }

    /** The holds; empty if there are none. Not ended by an interrupt, which is remembered. */
    List<Hold> awaitUninterruptibly() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return get();
                } catch (InterruptedException remembered) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The holds; empty if there are none. */
    List<Hold> await() throws InterruptedException {
        try {
            return get();
        } catch (InterruptedException interrupted) {
            end(Request.No.INTERRUPTED);
            boolean late = true;
            try {
                List<Hold> holds = awaitUninterruptibly();
                late = !holds.isEmpty();
                if (late) {
                    return holds;
                }
            } finally {
                if (late) { // the locks are held, or another exception is thrown: the interrupt is remembered
                    Thread.currentThread().interrupt();
                }
            }
            throw interrupted;
        }
    }

    private List<Hold> get() throws InterruptedException {
        try {
            return outcome.get();
        } catch (ExecutionException failed) {
            throw Calls.own(failed);
        }
    }
}
