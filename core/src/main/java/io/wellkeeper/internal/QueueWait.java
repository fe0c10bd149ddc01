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
 * Waits until a queue answers a question: asks whenever its notice has changed, in whatever session there is. It never
 * blocks.
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
    private @Nullable LiveSession asked; // the session in which it was asked last
    private int questions; // numbers them
    private boolean askAgain;
    private final Pauses pauses = new Pauses(FIRST_PAUSE, LAST_PAUSE); // after questions that have failed
    private boolean pausing; // then there is an alarm already
    private Registration alarm = Registration.NONE;
    private int beats;
    private boolean looked; // and it was not so yet
    private Runnable onceLooked = () -> {};

    /** Fails a question that is to be asked again a moment later; the store has no part in it. */
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
     * Asks once; one question at a time in each session. Empty if it is not yet so. The answer to a question that was put in
     * an earlier session is not waited for.
     */
    abstract CompletionStage<Optional<T>> ask(LiveSession session, TicketQueue queue);

    /** It is over, one way or the other: gives back what was taken for it. */
    void end() {}

    /**
     * Completes when it is so, and nothing of the wait is left: whoever comes again at once does not meet himself. Completing it
     * oneself ends the wait.
     */
    CompletableFuture<T> start() {
        Registration made;
        try {
            made = client.whileWaiting(name, this);
        } catch (LockClientClosedException closed) {
            answer.completeExceptionally(closed); // and so a wait with a time is over, too
            return answer;
        }
        lock.lock();
        try {
            registered = made;
        } finally {
            lock.unlock();
        }
        if (isOver()) { // it has failed before there was anything to take back
            made.close();
        }
        look();
        return answer;
    }

    /**
     * As {@link #start()}, with a time. It has looked at least once when the time is up: who has come in time is not
     * refused because the store is slow. Only for a store that does not answer within the store timeout is it not waited.
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

    /** Watched first and asked afterwards. What cannot be watched now is watched when it is asked again. */
    private void arm(LiveSession session, TicketQueue queue) {
        Registration armed = Calls.watch(() -> queue.onNotice(this::look));
        Registration old;
        lock.lock();
        try {
            if (isOver() || asked != session) { // or another session has been asked meanwhile
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

    /** Whatever else makes it look meanwhile: there is one alarm at a time. */
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
