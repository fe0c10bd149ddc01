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

/** The right to be in that comes with a ticket which nobody ahead blocks; it is as good as the session. */
final class TicketGrant implements Grant, DepartureWatcher {

    private final String name;
    private final LiveSession session;
    private final TicketQueue queue;
    private final long token;
    private final boolean othersBehind;
    private final Description description;
    private final Monitor lock = new Monitor(); // guards what is written below, unless it says otherwise
    private volatile Ticket ticket;
    private Mode wantedMode; // the mildest that was asked for
    private int wantedPermits; // the fewest that were asked for
    private int replacements; // under way: while there are any, the departure of the ticket may be our own doing
    private @Nullable Ticket departedMeanwhile; // whose doing that was shows when they are over
    private CompletableFuture<Ticket> settled; // the ticket, once nothing is under way
    private @Nullable CompletableFuture<Ticket> next; // a replacement that waits for the one under way
    private @Nullable Ticket watched; // the ticket that is watched, or will be when its watch has been armed
    private Registration watch = Registration.NONE;
    private volatile boolean left;
    private volatile boolean removed; // by somebody else
    private volatile Runnable gone = () -> {}; // written before anybody has it
    private volatile boolean removalExpected; // it is not somebody else's doing; written by the holder
    private volatile String breaker = ""; // who, and why; empty while that is not known

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

    /** What this client has taken away itself, by breaking the lock, is noticed here, even before anybody has been told. */
    private boolean isTakenAway() {
        Ticket mine = ticket; // read once: a milder one that takes its place meanwhile has not departed
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

    /** The watch is taken back after the ticket, when that costs no request any more. */
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

    /** That is part of the reason from when the store has answered. */
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

    /** Whatever is asked for while one replacement is under way is done by the next: there are never more than two. */
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
            next = null; // what is asked for from now on comes too late for this one
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
     * @param milder null if there is none: the store has failed, so that the old one, which keeps out more than it need, is
     *     still there; or the old one is gone, which its watch shows
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
                stale = unwatch(); // the next heartbeat arms another
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
            gone.run(); // this client may have broken the milder one before it was known here
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
        gone = whenGone; // that its time is up, the session tells everybody
    }

    /**
     * A ticket that lasts longer than a heartbeat is watched; for shorter ones it would not be worth a request. A
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

    /** Takes over a watch on a ticket, if that is the one to be watched and nobody watches it yet. */
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

    /** @throws IllegalStateException if what was written on this ticket may not stand on the one in its place */
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
     * The loss is told at once, also one that {@link #valid} has noticed a moment ago: whoever has asked that need not have
     * told it. Who has done it is asked when the ticket is given back.
     */
    @Override
    public void departed(Ticket which) {
        takeAway(which);
        if (removed) {
            gone.run();
        }
    }

    /** Notes that a ticket has departed, if that was somebody else's doing. */
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
