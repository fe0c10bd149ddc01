package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One wait on a condition, from taking a ticket to answering the signal:
 *
 * <pre>
 *   ASKING --has a place--> QUEUED --let in--------> SIGNALLED
 *     |                       |-----ticket is gone-> WOKEN      (the lock was, or has to be, given up)
 *     +-----------------------+--------------------> TIMED_OUT, INTERRUPTED, FAILED
 * </pre>
 *
 * <p>It never blocks. Written by the store's threads, and read by the one that waits.
 */
abstract class ConditionWait implements Attempt.Listener, Size {

    enum State {
        ASKING,
        QUEUED,
        SIGNALLED,
        WOKEN,
        FAILED,
        TIMED_OUT,
        INTERRUPTED
    }

    private static final CompletionStage<Boolean> NOTHING_TO_ANSWER = CompletableFuture.completedFuture(true);

    private final String queue;
    private final TicketClient client;
    private final Attempt attempt;
    private final AtomicReference<State> state = new AtomicReference<>(State.ASKING);
    private final AtomicReference<@Nullable Grant> grant = new AtomicReference<>(); // set before the state
    private volatile @Nullable RuntimeException failure; // written before the state
    private volatile Registration alarm = Registration.NONE;
    private boolean measured; // touched by the attempt only

    ConditionWait(String queue, Hold hold, TicketClient client) {
        this.queue = queue;
        this.client = client;
        this.attempt = client.contender()
                .attempt(
                        queue,
                        Want.signal(this),
                        LockOptions.defaults(),
                        true,
                        () -> client.metadata().of(List.of(hold), List.of()),
                        this);
    }

    /** The state is another. Called on any thread, holding no lock. */
    abstract void moved();

    /** @param timeout null to wait for as long as it takes */
    final void begin(@Nullable Duration timeout) {
        if (timeout != null) {
            alarm = client.time().schedule(timeout, () -> end(State.TIMED_OUT));
        }
        attempt.start();
    }

    final State state() {
        return state.get();
    }

    /** Whether it has ended with the lock as it was, if that has not been given up yet. */
    final boolean keepsLock() {
        return switch (state.get()) {
            case FAILED, TIMED_OUT, INTERRUPTED -> true;
            default -> false;
        };
    }

    final boolean isSignalled() {
        return state.get() == State.SIGNALLED || state.get() == State.WOKEN;
    }

    /** Why the store has refused; null if it has not. */
    final @Nullable RuntimeException failure() {
        return failure;
    }

    /** @return false if it has ended already */
    final boolean end(State last) {
        boolean ended = state.compareAndSet(State.QUEUED, last) || state.compareAndSet(State.ASKING, last);
        if (ended) {
            moved();
        }
        return ended;
    }

    /** The signal has done what it was for; unless the ticket is gone, and the next one has it by now. */
    final CompletionStage<Boolean> answer() {
        Grant answered = grant.get();
        return answered == null || !answered.valid()
                ? NOTHING_TO_ANSWER
                : client.change(queue, ConditionWait::oneLess)
                        .exceptionally(unknown -> false); // if it is still there, somebody else wakes for nothing
    }

    private static NoticeForm oneLess(NoticeForm notice) {
        int left = notice.number(Snapshot.SIZE).orElse(0) - 1;
        return left > 0 ? notice.with(Snapshot.SIZE, Integer.toString(left)) : notice.without(Snapshot.SIZE);
    }

    /** Gives the ticket back, and with it a signal that was not answered. */
    final void finish() {
        end(State.INTERRUPTED); // so that nothing is got any more
        alarm.close();
        attempt.abandon();
        leave();
    }

    private void leave() {
        Grant had = grant.getAndSet(null);
        if (had != null) {
            had.leave();
        }
    }

    @Override
    public final Reading read(NoticeForm notice, long mine, int ahead) {
        OptionalInt said = notice.number(Snapshot.SIZE);
        int signals = said.orElse(0);
        boolean first = !measured;
        measured = true;
        return first && signals > ahead
                ? new Reading(ahead, notice.with(Snapshot.SIZE, Integer.toString(ahead)))
                : new Reading(signals, null);
    }

    @Override
    public final void entered(Grant won) {
        won.begin(() -> {});
        grant.set(won);
        if (!end(State.SIGNALLED)) {
            leave();
        }
    }

    @Override
    public final void waiting() {
        if (state.compareAndSet(State.ASKING, State.QUEUED)) {
            moved();
        }
    }

    @Override
    public final void refused() {
        end(State.WOKEN);
    }

    @Override
    public final void failed(RuntimeException reason) {
        failure = reason;
        end(State.FAILED);
    }
}
