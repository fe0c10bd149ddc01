package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
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
 *     |                       |-----ticket is gone-> WOKEN
 *     |-----------------------|--------------------> TIMED_OUT, INTERRUPTED
 *     +--the store refuses----+--------------------> FAILED
 * </pre>
 *
 * <p>The lock is given up in every state but ASKING, and FAILED if that follows on ASKING. A wait that ends in state
 * ASKING is not over before the store has answered, or has been silent for the store timeout. So a thread that waits
 * again and again, each time for less than a round trip, never has more than one ticket under way. A wait for no time
 * at all takes no ticket.
 *
 * <p>It never blocks. The store's threads write the state, and the waiting thread reads it.
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

    private static final CompletionStage<Boolean> NOTHING_TO_ANSWER = CompletableFuture.completedFuture(false);

    private final String queue;
    private final TicketClient client;
    private final Attempt attempt;
    private final AtomicReference<State> state = new AtomicReference<>(State.ASKING);
    private final AtomicReference<@Nullable Grant> grant = new AtomicReference<>(); // set before the state
    private volatile @Nullable RuntimeException failure; // written before the state
    private volatile boolean settled; // the store has answered, or its answer is not waited for any more
    private volatile Registration alarm = Registration.NONE;
    private volatile Registration patience = Registration.NONE; // ends the wait for the answer
    private boolean measured; // touched by the attempt only

    ConditionWait(String queue, Hold hold, TicketClient client) {
        hold.refuseIfPassedOn(); // else signals from now on might be missed
        this.queue = queue;
        this.client = client;
        this.attempt = client.contender()
                .attempt(queue, Want.signal(this), true, () -> client.metadata().of(List.of(hold), List.of()), this);
    }

    /** The result of {@link #state} or {@link #isOver} may have changed. Called on any thread, holding no lock. */
    abstract void moved();

    /** @param timeout not negative; null to wait for as long as it takes */
    final void begin(@Nullable Duration timeout) {
        if (timeout == null) {
            attempt.start();
        } else if (timeout.isZero()) {
            settled = true;
            end(State.TIMED_OUT);
        } else {
            alarm = client.time().schedule(timeout, () -> end(State.TIMED_OUT));
            if (isOver()) {
                alarm.close();
            }
            attempt.start();
        }
    }

    /** The lock has been given up: from now on the store has the store timeout to answer. */
    final void lockIsGivenUp() {
        if (!settled) {
            patience = client.time().schedule(client.storeTimeout(), this::settle);
            if (settled) {
                patience.close();
            }
        }
    }

    final State state() {
        return state.get();
    }

    /** Whether it is time to acquire the lock again. */
    final boolean isOver() {
        return settled && state.get() != State.QUEUED && state.get() != State.ASKING;
    }

    final boolean isSignalled() {
        return state.get() == State.SIGNALLED || state.get() == State.WOKEN;
    }

    /** Why the store has refused; null if it has not. */
    final @Nullable RuntimeException failure() {
        return state.get() == State.FAILED ? failure : null;
    }

    /** @return false if the wait has ended already */
    final boolean end(State last) {
        boolean ended = change(last);
        if (ended) {
            moved();
        }
        return ended;
    }

    private boolean change(State last) {
        return state.compareAndSet(State.QUEUED, last) || state.compareAndSet(State.ASKING, last);
    }

    /** From now on the wait does not wait for the store's answer. */
    private void settle() {
        settled = true;
        patience.close();
        moved();
    }

    /**
     * Takes the signal off, because it has woken this wait. If the ticket is gone, the signal is the next ticket's by
     * now, and stays.
     *
     * @return whether the signal has been taken off, or may have been
     */
    final CompletionStage<Boolean> answer() {
        Grant answered = grant.get();
        return answered == null || !answered.valid()
                ? NOTHING_TO_ANSWER
                : client.change(queue, ConditionWait::oneLess, () -> has(answered))
                        .exceptionally(unknown -> true); // if it is still there, another wait wakes for nothing
    }

    /** Whether the ticket is still there, as far as this client knows. If not, the signals belong to other waits. */
    private boolean has(Grant won) {
        return grant.get() == won && won.valid();
    }

    private static NoticeForm oneLess(NoticeForm notice) {
        int left = notice.number(Snapshot.SIZE).orElse(0) - 1;
        return left > 0 ? notice.with(Snapshot.SIZE, Integer.toString(left)) : notice.without(Snapshot.SIZE);
    }

    /** Gives the ticket back, and with it a signal that was not answered. */
    final void finish() {
        settled = true;
        end(State.INTERRUPTED); // so that no signal is accepted any more
        alarm.close();
        patience.close();
        attempt.abandon();
        leave();
    }

    private void leave() {
        Grant had = grant.getAndSet(null);
        if (had != null) {
            had.leave();
        }
    }

    /**
     * The first look of a wait takes off signals that are left over. A wait that has ended does not: its look may come
     * when others have the lock already, and then the signals are theirs.
     */
    @Override
    public final Reading read(NoticeForm notice, long mine, List<Ticket> ahead) {
        int waiting = ahead.size();
        OptionalInt said = notice.number(Snapshot.SIZE);
        int signals = said.orElse(0);
        boolean first = !measured && state.get() == State.ASKING;
        measured = true;
        return first && signals > waiting
                ? new Reading(waiting, notice.with(Snapshot.SIZE, Integer.toString(waiting)))
                : new Reading(signals, null);
    }

    @Override
    public final void entered(Grant won) {
        won.begin(() -> {});
        grant.set(won);
        if (!answered(State.SIGNALLED)) {
            leave();
        }
    }

    @Override
    public final void waiting() {
        state.compareAndSet(State.ASKING, State.QUEUED);
        settle();
    }

    @Override
    public final void refused() {
        answered(State.WOKEN);
    }

    @Override
    public final void failed(RuntimeException reason) {
        failure = reason;
        answered(State.FAILED);
    }

    private boolean answered(State last) {
        boolean ended = change(last);
        settle();
        return ended;
    }
}
