package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a queue answers a question. It asks whenever the notice of the queue has changed, in the session that
 * there is at the time. It never blocks.
 */
abstract class QueueWait<T> implements Waiting {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofMillis(1600);
    private static final int BEATS_PER_LOOK = 8;

    private final String name;
    private final TicketClient client;
    private final Ending<T> answer = new Ending<>() {
        @Override
        void end() {
            finish();
        }
    };

    private final Monitor lock = new Monitor(); // guards all below
    private Registration registered = Registration.NONE;
    private Registration watch = Registration.NONE;
    private @Nullable LiveSession watched; // the session of the watch
    private boolean asking;
    private @Nullable LiveSession asked; // the session in which the last question was put
    private int questions; // numbers the questions
    private boolean askAgain;
    private final Pauses pauses = new Pauses(FIRST_PAUSE, LAST_PAUSE); // after questions that have failed
    private boolean pausing; // an alarm for the next look is set
    private Registration alarm = Registration.NONE;
    private int beats;
    private boolean looked; // a look has found no answer yet
    private Runnable onceLooked = () -> {};

    /** Fails a question that is to be put again a moment later, for a reason that is no failure of the store. */
    static final class NotNow extends RuntimeException {

        private static final long serialVersionUID = 1;

        NotNow(String why) {
            super(why, null, false, false);
        }
    }

    QueueWait(String name, TicketClient client) {
        this.name = name;
        this.client = client;
    }

    /**
     * Puts the question once. There is one question at a time in each session; the answer to a question in an earlier
     * session is not waited for.
     *
     * @return empty if there is no answer yet
     */
    abstract CompletionStage<Optional<T>> ask(LiveSession session, TicketQueue queue);

    /** The wait is over, in whatever way: gives back what was taken for it. */
    void end() {}

    /**
     * Begins the wait.
     *
     * @return completes with the answer, when nothing of the wait is left, so that a caller that waits again at once
     *     does not meet its own earlier wait. If the caller completes it, the wait ends.
     */
    CompletableFuture<T> start() {
        Registration made;
        try {
            made = client.whileWaiting(name, this);
        } catch (LockClientClosedException closed) {
            answer.completeExceptionally(closed); // this ends a wait with a time limit, too
            return answer;
        }
        lock.lock();
        try {
            registered = made;
        } finally {
            lock.unlock();
        }
        if (isOver()) { // the wait has failed before its registration could be taken back
            made.close();
        }
        look();
        return answer;
    }

    /**
     * As {@link #start()}, with a time limit. When the time is up, it looks at least once before it ends, so that a
     * slow store does not make it refuse a caller that has come in time. It does so no longer than for the store
     * timeout.
     *
     * @param timeUp completes the wait
     */
    CompletableFuture<T> start(long nanos, Consumer<CompletableFuture<T>> timeUp) {
        start();
        return Futures.limited(answer, nanos, client.time(), () -> timeUp(() -> timeUp.accept(answer)));
    }

    private void timeUp(Runnable giveUp) {
        boolean enough;
        lock.lock();
        try {
            enough = looked;
            onceLooked = giveUp;
        } finally {
            lock.unlock();
        }
        if (enough) {
            giveUp.run();
        } else {
            Futures.limited(answer, client.storeTimeout().toNanos(), client.time(), giveUp);
        }
    }

    boolean isOver() {
        return answer.isEnding();
    }

    private void finish() {
        Registration first;
        Registration second;
        Registration third;
        lock.lock();
        try {
            first = watch;
            second = registered;
            third = alarm;
            watch = Registration.NONE;
        } finally {
            lock.unlock();
        }
        second.close();
        first.close();
        third.close();
        end();
    }

    private void look() {
        LiveSession session;
        try {
            session = client.session(name);
        } catch (LockStoreException nowhere) {
            fail(nowhere);
            return;
        }
        boolean arm;
        int number;
        lock.lock();
        try {
            if (isOver() || session == null || session.ended()) {
                return; // poke() comes with the next session
            }
            if (asking && asked == session) {
                askAgain = true;
                return;
            }
            asking = true;
            asked = session;
            askAgain = false;
            number = ++questions;
            arm = watched != session;
        } finally {
            lock.unlock();
        }
        Calls.stage(() -> {
                    TicketQueue queue = session.queue(name);
                    if (arm) {
                        arm(session, queue);
                    }
                    return ask(session, queue);
                })
                .whenComplete((found, failure) -> onAnswer(number, found, failure));
    }

    /** Arms the watch before the question is put. If the queue cannot be watched now, the next question tries again. */
    private void arm(LiveSession session, TicketQueue queue) {
        Registration armed = Calls.watch(() -> queue.onNotice(this::look));
        Registration old;
        lock.lock();
        try {
            if (isOver() || asked != session) { // or another session is asked by now
                old = armed;
            } else {
                old = watch;
                watched = session;
                watch = armed;
            }
        } finally {
            lock.unlock();
        }
        old.close();
    }

    private void onAnswer(int number, @Nullable Optional<T> found, @Nullable Throwable failure) {
        boolean again;
        Runnable then;
        lock.lock();
        try {
            if (number != questions) {
                return;
            }
            asking = false;
            again = askAgain;
            looked |= found != null && found.isEmpty();
            if (failure == null || Calls.unwrap(failure) instanceof NotNow) {
                pauses.reset(); // the store has answered
            }
            then = looked ? onceLooked : () -> {};
        } finally {
            lock.unlock();
        }
        if (found != null && found.isPresent()) {
            answer.complete(found.get());
            return;
        }
        if (failure != null && Calls.isRefusal(failure) && !(Calls.unwrap(failure) instanceof NotNow)) {
            fail(client.translate(name, failure));
            return;
        }
        then.run();
        if (again) {
            look();
        } else if (failure != null) {
            lookLater();
        }
    }

    /** Sets an alarm for the next look. There is one alarm at a time, whatever else makes it look meanwhile. */
    private void lookLater() {
        Duration pause;
        lock.lock();
        try {
            if (pausing) {
                return;
            }
            pausing = true;
            pause = pauses.next(client.time().nanoTime());
        } finally {
            lock.unlock();
        }
        Registration made = client.time().schedule(pause, this::pauseIsOver);
        boolean over;
        lock.lock();
        try {
            over = isOver();
            alarm = made;
        } finally {
            lock.unlock();
        }
        if (over) {
            made.close();
        }
    }

    private void pauseIsOver() {
        lock.lock();
        try {
            pausing = false;
        } finally {
            lock.unlock();
        }
        look();
    }

    @Override
    public void poke() {
        look();
    }

    @Override
    public void beat() {
        boolean due;
        lock.lock();
        try {
            due = ++beats % BEATS_PER_LOOK == 0;
        } finally {
            lock.unlock();
        }
        if (due) {
            look();
        }
    }

    @Override
    public void fail(RuntimeException why) {
        answer.completeExceptionally(why);
    }
}
