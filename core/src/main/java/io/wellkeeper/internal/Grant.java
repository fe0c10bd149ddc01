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

    /** From now on, the holder expects the departure of its ticket. */
    default void expectRemoval() {
        throw new UnsupportedOperationException("the store has no tickets");
    }

    /** Until when it is certain that nobody else is in, if nothing more is heard from the store. */
    long deadlineNanos();

    /** Whether it is certain, by the local clock alone, that nobody else is in. */
    boolean valid();

    /** Why the grant is not valid, as far as that is known by now; for use in the middle of a sentence. */
    String reasonOfLoss();

    /**
     * Gives the right back. If the store cannot be reached, tries again until it succeeds or the right has run out.
     *
     * @return completes normally when nothing of the right is left
     */
    CompletionStage<Void> leave();

    /** Whether nobody else waits; if so, {@code arrived} runs when somebody comes. */
    CompletionStage<Boolean> alone(Runnable arrived);

    /**
     * From now on the grant tolerates more, or takes fewer permits. The mildest form that was ever asked for counts, in
     * whatever order the calls come.
     *
     * @return completes when the store knows, or the right has run out
     */
    CompletionStage<Void> soften(Mode mode, int permits);

    /** Changes the metadata at the store that says who uses the grant. */
    void describe(String metadata);

    /**
     * Has a listener told when others ask the holder to give up the grant.
     *
     * @param past whether earlier requests count, too
     * @param callBack runs the listener
     */
    default Registration onRevocationRequested(RevocationListener listener, boolean past, Consumer<Runnable> callBack) {
        return Registration.NONE; // where nobody can ask
    }

    /** The grant is used from now on: {@code gone} runs if somebody else takes it away, or its time is up. */
    void begin(Runnable gone);

    /** A ticket has departed: the store has told so, or this client has removed the ticket by breaking the lock. */
    default void departed(Ticket which) {}

    /**
     * Extends a lease that is not renewed to so long from now, if it does not last as long in any case.
     *
     * @return completes when the store has answered; if the lease is over by then, that is told as any loss. A caller
     *     that waits no longer may complete it
     */
    default CompletableFuture<Void> extend(Duration length) {
        throw new UnsupportedOperationException();
    }

    /** Called about once a heartbeat, for the work that only long-lasting grants need. */
    default void beat() {}
}
