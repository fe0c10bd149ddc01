package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The right to be in that comes with a lease, renewed every third of its validity for as long as it is wanted, or, if its
 * terms say so, until its end: a store may vouch for much less than that at once.
 */
final class LeaseGrant implements Grant {

    private static final Duration RETRY = Duration.ofMillis(200);

    private final LeaseStore store;
    private final Lease lease;
    private final LeaseTerms terms;
    private final Time time;
    private final long validityNanos;
    private final long end; // in any case, if its terms say so
    private final boolean renewed; // for as long as it may last
    private final Consumer<CompletionStage<Void>> owed;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final Monitor lock = new Monitor(); // guards the next three
    private Registration alarm = Registration.NONE;
    private Runnable gone = () -> {};
    private boolean leaving;
    private volatile long deadline; // only grows; written under the lock
    private volatile boolean ended;

    /**
     * @param sentAt when the request for the lease was sent
     * @param owed told of the release, when it has been sent
     */
    LeaseGrant(
            LeaseStore store,
            Lease lease,
            LeaseTerms terms,
            long sentAt,
            Time time,
            Consumer<CompletionStage<Void>> owed) {
        this.store = store;
        this.lease = lease;
        this.terms = terms;
        this.time = time;
        this.owed = owed;
        this.validityNanos = lease.validity().toNanos();
        this.end = sentAt + terms.ttl().toNanos();
        this.renewed = terms.renewed() || validityNanos < terms.ttl().toNanos() / 2;
        this.deadline = sentAt + validityNanos;
    }

    @Override
    public OptionalLong token() {
        return lease.token();
    }

    @Override
    public long deadlineNanos() {
        return deadline;
    }

    @Override
    public boolean valid() {
        return !ended && time.nanoTime() - deadline < 0;
    }

    @Override
    public String reasonOfLoss() {
        if (!renewed || isOver()) {
            return "its lease is over, which is not renewed";
        }
        return ended ? "the store has ended the lease" : "no renewal of the lease was acknowledged in time";
    }

    @Override
    public CompletionStage<Boolean> alone(Runnable arrived) {
        return CompletableFuture.completedFuture(false); // a lease store does not know who waits
    }

    /** A lease is a lock and nothing else. */
    @Override
    public CompletionStage<Void> soften(Mode mode, int permits) {
        throw new UnsupportedOperationException();
    }

    /** Nobody can look at a lease store. */
    @Override
    public void describe(String metadata) {}

    @Override
    public void begin(Runnable whenGone) {
        lock.lock();
        try {
            gone = whenGone;
        } finally {
            lock.unlock();
        }
        keepAlive(deadline - validityNanos - time.nanoTime() + validityNanos / 3); // the answer may have been late
    }

    /**
     * Renews for as long as the grant is valid and not left, or waits for its end.
     *
     * @param untilRenewal nanoseconds, if there are renewals; at once if negative
     */
    private void keepAlive(long untilRenewal) {
        lock.lock();
        try {
            if (leaving) {
                return;
            }
            long untilDeadline = deadline - time.nanoTime();
            long pause = renewed ? Math.min(untilRenewal, untilDeadline) : untilDeadline;
            alarm = time.schedule(Duration.ofNanos(Math.max(0, pause)), this::renewOrLose);
        } finally {
            lock.unlock();
        }
    }

    private void renewOrLose() {
        if (!valid()) {
            lost();
            return;
        }
        keepAlive(validityNanos / 3);
        long sentAt = time.nanoTime();
        if (!renewed || isOver()) {
            return;
        }
        Duration ttl = terms.renewed() ? terms.ttl() : Duration.ofNanos(end - sentAt);
        Calls.stage(() -> store.renew(lease, ttl)).whenComplete((prolonged, failure) -> {
            if (failure == null && prolonged) {
                prolong(sentAt + validityNanos);
            } else if (failure == null) {
                ended = true;
                lost();
            }
        });
    }

    private boolean isOver() {
        return !terms.renewed() && time.nanoTime() - latest() >= 0;
    }

    /** How long it may last, if it is not renewed beyond its end; for clocks that run at different speeds a little less. */
    private long latest() {
        return end - terms.ttl().toNanos() / 50;
    }

    /** Several renewals may be under way, if the store is slow; the latest deadline counts. */
    private void prolong(long until) {
        long next = terms.renewed() || until - latest() < 0 ? until : latest();
        lock.lock();
        try {
            if (valid() && next - deadline > 0) {
                deadline = next;
            }
        } finally {
            lock.unlock();
        }
    }

    private void lost() {
        Runnable tell;
        lock.lock();
        try {
            if (leaving) {
                return;
            }
            tell = gone;
        } finally {
            lock.unlock();
        }
        tell.run();
    }

    @Override
    public CompletionStage<Void> leave() {
        lock.lock();
        try {
            if (leaving) {
                return left;
            }
            leaving = true;
            alarm.close();
        } finally {
            lock.unlock();
        }
        owed.accept(left);
        release();
        return left;
    }

    private void release() {
        Calls.stage(() -> store.release(lease)).whenComplete((released, failure) -> {
            if (failure == null
                    || ended
                    || time.nanoTime() - deadline >= terms.ttl().toNanos()) {
                left.complete(null);
            } else {
                time.schedule(RETRY, this::release);
            }
        });
    }
}
