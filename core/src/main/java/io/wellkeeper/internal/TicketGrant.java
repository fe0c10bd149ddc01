package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The right to be in that comes with a ticket which nobody ahead blocks; it is as good as the session. */
final class TicketGrant implements Grant, DepartureWatcher {

    private final String name;
    private final LiveSession session;
    private final TicketQueue queue;
    private final long token;
    private final boolean othersBehind;
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile Registration selfWatch = Registration.NONE;
    private volatile Ticket ticket; // written by one replacement at a time
    private volatile boolean replacing; // the departure of the ticket may be our own doing
    private final Monitor lock = new Monitor(); // guards the next two
    private CompletionStage<Ticket> settled; // the ticket, once nothing is under way
    private volatile boolean left;
    private volatile String description;
    private volatile Runnable gone = () -> {};
    private volatile boolean removed; // by somebody else
    private volatile boolean removalExpected; // it is not somebody else's doing
    private volatile String breaker = ""; // who, and why

    /**
     * @param othersBehind whether others were seen to wait behind this ticket
     * @param description what stands on the ticket
     */
    TicketGrant(
            String name,
            LiveSession session,
            TicketQueue queue,
            Place place,
            boolean othersBehind,
            String description) {
        this.name = name;
        this.description = description;
        this.session = session;
        this.queue = queue;
        this.ticket = place.ticket();
        this.token = place.token();
        this.settled = CompletableFuture.completedFuture(ticket);
        this.othersBehind = othersBehind;
    }

    @Override
    public OptionalLong token() {
        return OptionalLong.of(token);
    }

    @Override
    public long number() {
        return ticket.number();
    }

    @Override
    public Ticket ticket() {
        return ticket;
    }

    @Override
    public void expectRemoval() {
        removalExpected = true;
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
            return breaker.isEmpty() ? "somebody has removed its ticket from the store" : breaker;
        }
        return session.ended()
                ? "the store has ended the session " + session.id()
                : "no heartbeat of the session " + session.id() + " was acknowledged in time";
    }

    @Override
    public CompletionStage<Void> leave() {
        CompletionStage<Ticket> last;
        lock.lock();
        try {
            left = true;
            last = settled;
        } finally {
            lock.unlock();
        }
        CompletionStage<Void> acknowledged = last.thenCompose(kept -> session.giveBack(name, queue, kept));
        selfWatch.close();
        return acknowledged;
    }

    @Override
    public void soften(Mode mode, int permits) {
        lock.lock();
        try {
            if (!left) {
                replacing = true;
                settled = settled.thenCompose(old -> Calls.stage(() -> queue.replace(old, mode, permits))
                        .handle((milder, failure) -> replaced(old, milder)));
            }
        } finally {
            lock.unlock();
        }
    }

    private Ticket replaced(Ticket old, @Nullable Ticket milder) {
        Registration watch = selfWatch;
        if (milder == null) {
            replacing = false;
            departed(old); // or the session has ended, which comes to the same
            return old;
        }
        session.replaced(name, old, milder);
        ticket = milder;
        replacing = false;
        selfWatch = Registration.NONE;
        watching.set(false); // the next beat sets another
        watch.close();
        return milder;
    }

    @Override
    public CompletionStage<Boolean> alone(Runnable arrived) {
        return othersBehind ? CompletableFuture.completedFuture(false) : queue.alone(ticket, arrived);
    }

    @Override
    public Registration onRevocationRequested(RevocationListener listener, boolean past, Consumer<Runnable> callBack) {
        return Revocation.listen(session, queue, ticket.number(), listener, past, callBack);
    }

    @Override
    public void begin(Runnable whenGone) {
        gone = whenGone; // that its time is up, the session tells everybody
    }

    /** A ticket that lasts longer than a heartbeat is watched; for shorter ones it would not be worth a request. */
    @Override
    public void beat() {
        if (!replacing && watching.compareAndSet(false, true)) {
            watchedBy(queue.onDeparture(List.of(ticket), this));
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
    public void describe(String metadata) {
        if (metadata.equals(description) || replacing) {
            return;
        }
        description = metadata;
        Calls.stage(() -> queue.describe(ticket, metadata));
    }

    @Override
    public void departed(Ticket which) {
        if (!replacing && !removalExpected && which.equals(ticket)) {
            removed = true;
            Calls.stage(queue::notice).whenComplete((notice, failure) -> {
                breaker = notice == null ? "" : Breaking.describe(NoticeForm.parse(notice.text()), which);
                gone.run();
            });
        }
    }

    @Override
    public void changed() {
        // only the departure of this one ticket matters, and that is never missed
    }
}
