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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The right to hold the lock, given by a ticket that no ticket ahead blocks. It is valid as long as the ticket and its
 * session live.
 */
final class TicketGrant implements Grant, DepartureWatcher {

    private final String name;
    private final LiveSession session;
    private final TicketQueue queue;
    private final long token;
    private final boolean othersBehind;
    private final Description description;
    private final Monitor lock = new Monitor(); // guards the writes of the fields below, unless they say otherwise
    private volatile Ticket ticket;
    private Mode wantedMode; // the mildest that was asked for
    private int wantedPermits; // the fewest that were asked for
    private int replacements; // under way; while there are any, they may be why the ticket has departed
    private @Nullable Ticket departedMeanwhile; // during a replacement; who did it shows at the end of all of them
    private CompletableFuture<Ticket> settled; // the ticket, once nothing is under way
    private @Nullable CompletableFuture<Ticket> next; // a replacement that waits for the one under way
    private @Nullable Ticket watched; // the ticket that is watched, or will be when its watch has been armed
    private Registration watch = Registration.NONE;
    private volatile boolean left;
    private volatile boolean removed; // by somebody else
    private volatile Runnable gone = () -> {}; // tells the loss; written before the grant is in use
    private volatile boolean removalExpected; // by the holder's own doing, so that it is no loss; written by the holder
    private volatile String breaker = ""; // who has broken the lock, and why; empty while unknown

    /**
     * @param othersBehind whether others were seen to wait behind this ticket
     * @param description the metadata that stands on the ticket
     */
    TicketGrant(
            String name,
            LiveSession session,
            TicketQueue queue,
            Place place,
            boolean othersBehind,
            Description description) {
        this.name = name;
        this.description = description;
        this.session = session;
        this.queue = queue;
        this.ticket = place.ticket();
        this.token = place.token();
        this.wantedMode = ticket.mode();
        this.wantedPermits = ticket.permits();
        this.settled = CompletableFuture.completedFuture(ticket);
        this.othersBehind = othersBehind;
    }

    @Override
    public OptionalLong token() {
        return OptionalLong.of(token);
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
        return !isTakenAway() && session.alive();
    }

    /**
     * Whether the ticket was removed. If this client has removed it itself, by breaking the lock, this notices it, even
     * before anybody has been told.
     */
    private boolean isTakenAway() {
        Ticket mine = ticket; // read once: if a milder ticket takes its place meanwhile, that one has not departed
        if (!removed && !session.isOwnAndLiving(name, mine)) {
            takeAway(mine);
        }
        return removed;
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

    /** The watch is taken back after the ticket, because by then this costs no request any more. */
    @Override
    public CompletionStage<Void> leave() {
        CompletableFuture<Ticket> last;
        Registration unneeded;
        lock.lock();
        try {
            left = true;
            last = settled;
            unneeded = unwatch();
        } finally {
            lock.unlock();
        }
        if (removed) {
            askWhoHasDoneIt();
        }
        CompletionStage<Void> acknowledged = last.thenCompose(kept -> session.leave(name, queue, kept));
        unneeded.close();
        return acknowledged;
    }

    /** Asks the store who has removed the ticket. The reason of the loss says so as soon as the store has answered. */
    private void askWhoHasDoneIt() {
        Calls.stage(queue::notice).thenAccept(notice -> {
            breaker = Breaking.describe(NoticeForm.parse(notice.text()), ticket);
        });
    }

    private Registration unwatch() {
        Registration old = watch;
        watched = null;
        watch = Registration.NONE;
        return old;
    }

    /**
     * All that is asked for while a replacement is under way is done by one next replacement. So there are never more
     * than two.
     */
    @Override
    public CompletionStage<Void> soften(Mode mode, int permits) {
        CompletableFuture<Ticket> done;
        CompletableFuture<Ticket> before;
        lock.lock();
        try {
            if (left) {
                return CompletableFuture.completedFuture(null);
            }
            wantedMode = mode.compareTo(wantedMode) > 0 ? mode : wantedMode;
            wantedPermits = Math.min(permits, wantedPermits);
            if (next != null) {
                return next.thenAccept(milder -> {});
            }
            done = new CompletableFuture<>();
            next = done;
            replacements++;
            before = settled;
            settled = done;
        } finally {
            lock.unlock();
        }
        before.thenAccept(old -> replace(old, done));
        return done.thenAccept(milder -> {});
    }

    private void replace(Ticket old, CompletableFuture<Ticket> done) {
        Mode mode;
        int permits;
        lock.lock();
        try {
            next = null; // a request that comes from now on is too late for this replacement
            mode = wantedMode;
            permits = wantedPermits;
        } finally {
            lock.unlock();
        }
        if (old.mode() == mode && old.permits() == permits) { // an earlier replacement has done it
            replaced(old, old, done);
        } else {
            Calls.stage(() -> queue.replace(old, mode, permits))
                    .whenComplete((milder, failure) -> replaced(old, milder, done));
        }
    }

    /**
     * @param milder the new ticket; null if there is none. Then either the store has failed, and the old ticket, which
     *     keeps out more than it need, is still there; or the old ticket is gone, which its watch shows.
     */
    private void replaced(Ticket old, @Nullable Ticket milder, CompletableFuture<Ticket> done) {
        Ticket now = milder == null ? old : milder;
        boolean other = !now.equals(old);
        if (other) {
            session.taken(name, now);
        }
        boolean loss;
        Registration stale = Registration.NONE;
        lock.lock();
        try {
            replacements--;
            loss = replacements == 0 && !other && old.equals(departedMeanwhile) && !removed;
            departedMeanwhile = other ? null : departedMeanwhile;
            removed |= loss;
            if (other) {
                ticket = now;
                stale = unwatch(); // the next heartbeat arms another watch
            }
        } finally {
            lock.unlock();
        }
        if (other) {
            session.replaced(name, old);
        }
        stale.close();
        done.complete(now);
        if (other || loss) {
            // also if nothing is lost: this client may have broken the milder ticket before it was known here
            gone.run();
        } else if (milder == null) {
            watch();
        }
    }

    @Override
    public CompletionStage<Boolean> alone(Runnable arrived) {
        return othersBehind
                ? CompletableFuture.completedFuture(false)
                : Calls.stage(() -> queue.alone(ticket, arrived));
    }

    @Override
    public Registration onRevocationRequested(RevocationListener listener, boolean past, Consumer<Runnable> callBack) {
        return Revocation.listen(session, queue, ticket.number(), listener, past, callBack);
    }

    @Override
    public void begin(Runnable whenGone) {
        gone = whenGone; // only for a removed ticket: when the session's time is up, all its users are told anyway
    }

    /**
     * Watches a ticket that lasts longer than a heartbeat; for shorter ones a watch would not be worth a request. A
     * replacement in which the store has failed is asked for once more.
     */
    @Override
    public void beat() {
        watch();
        Mode mode;
        int permits;
        lock.lock();
        try {
            if (left || removed || replacements > 0) {
                return;
            }
            mode = wantedMode;
            permits = wantedPermits;
        } finally {
            lock.unlock();
        }
        Ticket current = ticket;
        if (current.mode() != mode || current.permits() != permits) {
            soften(mode, permits);
        }
    }

    /** If the store cannot watch the ticket now, the next heartbeat tries again. */
    private void watch() {
        Ticket unwatched;
        lock.lock();
        try {
            if (left || removed || replacements > 0 || watched != null) {
                return;
            }
            unwatched = ticket;
            watched = unwatched;
        } finally {
            lock.unlock();
        }
        try {
            watchedBy(unwatched, Calls.watch(() -> queue.onDeparture(List.of(unwatched), this)));
        } catch (Throwable failed) {
            lock.lock();
            try {
                watched = watch == Registration.NONE ? null : watched;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Takes over an armed watch on a ticket if this is the ticket of the grant and it has no watch yet. Otherwise the
     * watch is closed.
     */
    void watchedBy(Ticket which, Registration armed) {
        boolean wanted;
        lock.lock();
        try {
            wanted = !left
                    && which.equals(ticket)
                    && watch == Registration.NONE
                    && (watched == null || watched.equals(which));
            if (wanted) {
                watched = which;
                watch = armed;
            }
        } finally {
            lock.unlock();
        }
        if (!wanted) {
            armed.close();
        }
    }

    @Override
    public void describe(String metadata) {
        Ticket described;
        lock.lock();
        try {
            if (left || replacements > 0) {
                return;
            }
            described = ticket;
        } finally {
            lock.unlock();
        }
        description.write(metadata, () -> queue.describe(described, metadata).thenRun(() -> failIfReplaced(described)));
    }

    /**
     * @throws IllegalStateException if the ticket was replaced or is being replaced, so that the metadata written on it
     *     may be missing on the ticket in its place
     */
    private void failIfReplaced(Ticket described) {
        lock.lock();
        try {
            if (replacements > 0 || !described.equals(ticket)) {
                throw new IllegalStateException(described + " has been replaced meanwhile, or is just being replaced");
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the loss at once, also if {@link #valid} has noticed it a moment ago: the caller of that method need not
     * have told it. Who has removed the ticket is asked when the ticket is given back.
     */
    @Override
    public void departed(Ticket which) {
        takeAway(which);
        if (removed) {
            gone.run();
        }
    }

    /** Notes that a ticket has departed, if somebody else has removed it. */
    private void takeAway(Ticket which) {
        lock.lock();
        try {
            boolean concerned = !left && !removalExpected && !removed && which.equals(ticket);
            boolean loss = concerned && replacements == 0;
            removed |= loss;
            departedMeanwhile = concerned && !loss ? which : departedMeanwhile;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void changed() {
        // only the departure of this one ticket matters, and that is never missed
    }
}
