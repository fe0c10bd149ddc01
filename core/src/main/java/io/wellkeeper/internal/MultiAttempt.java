package io.wellkeeper.internal;

import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Time;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks, all or none, in rounds. A round tries all that are still missing at once, without waiting. What
 * comes after the first refusal is given back; then the refused one is waited for, and the next round begins:
 *
 * <pre>
 *   a b c d    try all:  a yes, b no, c yes, d yes   keep a, give c and d back
 *     b        wait for b
 *       c d    try all:  c yes, d yes                done
 * </pre>
 *
 * <p>So it never waits for a lock while it holds a later one, and two that want the same in whatever order cannot wait for
 * each other. There is one deadline over everything. It blocks nobody.
 */
final class MultiAttempt {

    /** Acquired: one for each lock, in their order; empty if the time has passed or it was cancelled. */
    private final CompletableFuture<List<Hold>> outcome = new CompletableFuture<>();

    private final List<NamedLock> locks;
    private final @Nullable Thread owner;
    private final boolean mayWait;
    private final boolean forEver;
    private final long deadline;
    private final Time time;

    // Written by one round at a time: the last answer of a round continues.
    private final @Nullable Hold[] holds;
    private final List<Request> asked = new CopyOnWriteArrayList<>();
    private @Nullable RuntimeException failure;
    private volatile boolean cancelled;

    /**
     * @param owner whose the holds will be; null for a handle's
     * @param nanos zero not to wait in any queue; negative for no limit
     */
    MultiAttempt(List<NamedLock> locks, @Nullable Thread owner, long nanos, Time time) {
        this.locks = locks;
        this.owner = owner;
        this.mayWait = nanos != 0;
        this.forEver = nanos < 0;
        this.deadline = time.nanoTime() + nanos;
        this.time = time;
        this.holds = new @Nullable Hold[locks.size()];
    }

    CompletableFuture<List<Hold>> start() {
        round(0);
        return outcome;
    }

    private void round(int from) {
        if (from == locks.size()) {
            finish();
        } else if (mayWait && from == locks.size() - 1) {
            await(from);
        } else {
            ask(from, locks.size(), 0);
        }
    }

    /** What was lost while the rest was waited for is acquired anew, and all else with it. */
    private void finish() {
        List<Hold> all = Arrays.stream(holds).map(Objects::requireNonNull).toList();
        if (all.stream().allMatch(Hold::isHeld)) {
            outcome.complete(all);
        } else if (mayWait) {
            giveBack(0);
            round(0);
        } else {
            giveUp();
        }
    }

    private void await(int index) {
        long left = deadline - time.nanoTime();
        if (!forEver && left <= 0) {
            giveUp();
        } else {
            ask(index, index + 1, forEver ? -1 : left);
        }
    }

    private void ask(int from, int to, long nanos) {
        AtomicInteger open = new AtomicInteger(to - from);
        for (int i = from; i < to; i++) {
            int index = i;
            try {
                Request request = locks.get(i).door().begin(owner, nanos, decided -> {
                    answered(index, decided, nanos);
                    if (open.decrementAndGet() == 0) {
                        next(from, to, nanos);
                    }
                });
                remember(request);
            } catch (RuntimeException refused) {
                failure = refused;
                if (open.decrementAndGet() == 0) {
                    next(from, to, nanos);
                }
            }
        }
    }

    private void remember(Request request) {
        asked.removeIf(Request::isDecided);
        asked.add(request);
        if (cancelled) {
            request.withdraw();
        }
    }

    private void answered(int index, Request decided, long nanos) {
        decided.endAlarm();
        try {
            holds[index] =
                    Request.read(Objects.requireNonNull(decided.outcome())).orElse(null);
        } catch (LockStoreException unanswered) {
            if (nanos != 0 || !mayWait) { // otherwise it is waited for next, and the store with it
                failure = unanswered;
            }
        } catch (RuntimeException failed) {
            failure = failed;
        }
    }

    /** Everything that was asked is answered. */
    private void next(int from, int to, long nanos) {
        int refused = from;
        while (refused < to && holds[refused] != null) {
            refused++;
        }
        if (failure != null || cancelled) {
            giveUp();
        } else if (refused == to) {
            round(to);
        } else if (nanos == 0 && mayWait) {
            giveBack(refused);
            await(refused);
        } else {
            giveUp();
        }
    }

    private void giveUp() {
        giveBack(0);
        RuntimeException reason = failure;
        if (reason == null) {
            outcome.complete(List.of());
        } else {
            outcome.completeExceptionally(reason);
        }
    }

    private void giveBack(int from) {
        for (int i = holds.length - 1; i >= from; i--) {
            Hold hold = holds[i];
            holds[i] = null;
            if (hold != null) {
                release(hold);
            }
        }
    }

    private static void release(Hold hold) {
        try {
            hold.unlock();
        } catch (LockLostException known) {
            // then nothing is left to give back
        }
    }

    /** Leaves the queues; the outcome comes at once. */
    void cancel() {
        cancelled = true;
        asked.forEach(Request::withdraw);
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
            cancel();
            List<Hold> late = awaitUninterruptibly();
            if (late.isEmpty()) {
                throw interrupted;
            }
            Thread.currentThread().interrupt(); // too late: it is held, and the interrupt remembered
            return late;
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
