package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The right to be in that comes with a ticket which nobody ahead blocks; it is as good as the session. */
final class TicketGrant implements Grant, DepartureWatcher {

    private final String name;
    private final LiveSession session;
    private final TicketQueue queue;
    private final Place place;
    private final boolean othersBehind;
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile Registration selfWatch = Registration.NONE;
    private volatile Runnable gone = () -> {};
    private volatile boolean left;
    private volatile boolean removed; // by somebody else

    /**
     * @param othersBehind whether others were seen to wait behind this ticket
     */
    TicketGrant(String name, LiveSession session, TicketQueue queue, Place place, boolean othersBehind) {
        this.name = name;
        this.session = session;
        this.queue = queue;
        this.place = place;
        this.othersBehind = othersBehind;
    }

    @Override
    public OptionalLong token() {
        return OptionalLong.of(place.token());
    }

    @Override
    public long deadlineNanos() {
        return session.deadlineNanos();
    }

    @Override
    public boolean valid() {
        return !removed && session.alive();
    }

    @Override
    public String reasonOfLoss() {
        if (removed) {
            return "somebody has removed its ticket from the store";
        }
        return session.ended()
                ? "the store has ended the session " + session.id()
                : "no heartbeat of the session " + session.id() + " was acknowledged in time";
    }

    @Override
    public CompletionStage<Void> leave() {
        left = true;
        CompletionStage<Void> acknowledged = session.giveBack(name, queue, place.ticket());
        selfWatch.close();
        return acknowledged;
    }

    @Override
    public CompletionStage<Boolean> alone(Runnable arrived) {
        return othersBehind ? CompletableFuture.completedFuture(false) : queue.alone(place.ticket(), arrived);
    }

    @Override
    public void begin(Runnable whenGone) {
        gone = whenGone; // that its time is up, the session tells everybody
    }

    /** A ticket that lasts longer than a heartbeat is watched; for shorter ones it would not be worth a request. */
    @Override
    public void beat() {
        if (watching.compareAndSet(false, true)) {
            watchedBy(queue.onDeparture(List.of(place.ticket()), this));
        }
    }

    /** Takes a watch on its ticket over; it is taken back after the ticket, when that costs no request any more. */
    void watchedBy(Registration watch) {
        watching.set(true);
        selfWatch = watch;
        if (left) {
            watch.close();
        }
    }

    @Override
    public void departed(Ticket ticket) {
        removed = true;
        gone.run();
    }

    @Override
    public void changed() {
        // only the departure of this one ticket matters, and that is never missed
    }
}
