package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The right to be in, until it is left or its time is up. */
interface Grant {

    /** The store's fencing token, if it has one. */
    OptionalLong token();

    /** The ticket behind it. */
    default Ticket ticket() {
        throw new UnsupportedOperationException("the store has no tickets");
    }

    /** From now on, that its ticket departs is as its holder wants it. */
    default void expectRemoval() {
        throw new UnsupportedOperationException("the store has no tickets");
    }

    /** Until when it is certain that nobody else is in, if nothing more is heard of the store. */
    long deadlineNanos();

    /** Whether it is certain, by the local clock alone, that nobody else is in. */
    boolean valid();

    /** Why it is not valid, in the middle of a sentence, as far as that is known by now. */
    String reasonOfLoss();

    /**
     * Gives the right back. If the store cannot be reached it is tried again until it succeeds or the right has run
     * out.
     *
     * @return completes normally when nothing of it is left
     */
    CompletionStage<Void> leave();

    /** Whether nobody else waits; if so, {@code arrived} runs when somebody comes. */
    CompletionStage<Boolean> alone(Runnable arrived);

    /**
     * From now on it tolerates more, or takes fewer permits. The mildest that was asked for counts, in whatever order the
     * calls come.
     *
     * @return completes when the store knows, or the right has run out
     */
    CompletionStage<Void> soften(Mode mode, int permits);

    /** Tells those who look at the store something new about who uses it. */
    void describe(String metadata);

    /**
     * Has somebody told when others ask for it to be given up.
     *
     * @param past whether what has been asked before counts too
     * @param callBack runs the listener
     */
    default Registration onRevocationRequested(RevocationListener listener, boolean past, Consumer<Runnable> callBack) {
        return Registration.NONE; // where nobody can ask
    }

    /** It is being used from now on: {@code gone} runs if somebody else takes it away, or its time is up. */
    void begin(Runnable gone);

    /** This client has given a ticket back itself, by breaking the lock. */
    default void departed(Ticket which) {}

    /**
     * Has a lease that is not renewed last so long from now, if it does not last as long in any case.
     *
     * @return completes when the store has answered; if the lease is over by then, that is told as any loss. Whoever waits no
     *     longer may complete it
     */
    default CompletableFuture<Void> extend(Duration length) {
        throw new UnsupportedOperationException();
    }

    /** About once a heartbeat: time for what only those who stay long need. */
    default void beat() {}
}
