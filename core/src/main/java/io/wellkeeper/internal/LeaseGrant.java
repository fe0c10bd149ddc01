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

/**
 * The right to hold the lock that comes with a lease. The lease is renewed every third of its validity for as long as
 * it is wanted. If its terms give it an end, it may have to be renewed until then, because a store may vouch for a much
 * shorter time at once. A failed renewal is sent again soon, after pauses that grow to a quarter of the time between
 * two renewals. A failed release is sent again after growing pauses, too.
 */
final class LeaseGrant implements Grant {

    private static final Duration RETRY = Duration.ofMillis(200);
    private static final int PAUSES_PER_VALIDITY = 12;
    private static final Duration LAST_RETRY = Duration.ofSeconds(1); // for releases, because others wait for them

    private final Leases leases;
    private final LeaseStore store;
    private final Time time;
    private final Lease lease;
    private final LeaseTerms terms;
    private final long validityNanos;
    private final Pauses pauses; // after renewals that have failed; guarded by the lock
    private final Pauses releasePauses = new Pauses(RETRY, LAST_RETRY); // used by one release at a time
    private String told = ""; // the last told reason why the release fails; used by one release at a time
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final Monitor lock = new Monitor(); // guards all that is written below, unless it says otherwise
    private long end; // the end of the lease; of no meaning if its terms say that it is always renewed
    private Duration length; // how long the lease was to last by the last call that set its end
    private Duration longest; // the longest time for which the store was ever asked
    private boolean renewed; // whether the lease is renewed for as long as it may last
    private Registration alarm = Registration.NONE;
    private Runnable gone = () -> {};
    private boolean leaving;
    private volatile long deadline; // only grows; written under the lock
    private volatile boolean ended;

    /**
     * @param sentAt when the request for the lease was sent
     */
    LeaseGrant(Leases leases, Lease lease, LeaseTerms terms, long sentAt) {
        this.leases = leases;
        this.store = leases.store();
        this.time = leases.time();
        this.lease = lease;
        this.terms = terms;
        this.validityNanos = Door.nanos(lease.validity());
        this.pauses = new Pauses(RETRY, lease.validity().dividedBy(PAUSES_PER_VALIDITY));
        this.end = sentAt + terms.ttl().toNanos();
        this.length = terms.ttl();
        this.longest = length;
        this.renewed = terms.renewed() || validityNanos < length.toNanos() / 2;
        this.deadline = sentAt + validityNanos;
        leases.owed(left);
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
        lock.lock();
        try {
            if (!renewed || isOver()) {
                return "its lease is over, which is not renewed";
            }
        } finally {
            lock.unlock();
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
        keepAlive(deadline - validityNanos - time.nanoTime() + validityNanos / 3); // the answer may have come late
    }

    /**
     * Renews for as long as the grant is valid and not left, or waits for its end.
     *
     * @param untilRenewal nanoseconds until the next renewal, if there are renewals; at once if negative
     */
    private void keepAlive(long untilRenewal) {
        lock.lock();
        try {
            if (leaving) {
                return;
            }
            long untilDeadline = deadline - time.nanoTime();
            long pause = renewed ? Math.min(untilRenewal, untilDeadline) : untilDeadline;
            alarm.close();
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
        Duration ttl = renewal(sentAt);
        if (ttl.isZero()) {
            return;
        }
        Calls.stage(() -> store.renew(lease, ttl)).whenComplete((prolonged, failure) -> {
            if (failure == null) {
                answered(prolonged, () -> prolong(sentAt + validityNanos));
            } else {
                keepAlive(pauseAfterFailure());
            }
        });
    }

    private long pauseAfterFailure() {
        lock.lock();
        try {
            return pauses.next(time.nanoTime()).toNanos();
        } finally {
            lock.unlock();
        }
    }

    private void answered(boolean prolonged, Runnable how) {
        if (prolonged) {
            how.run();
        } else {
            ended = true;
            lost();
        }
    }

    /** The time for which the next renewal asks; zero if the lease is not renewed. */
    private Duration renewal(long now) {
        lock.lock();
        try {
            if (terms.renewed()) {
                return terms.ttl();
            }
            return renewed && !isOver() ? Duration.ofNanos(end - now) : Duration.ZERO;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<Void> extend(Duration wanted) {
        CompletableFuture<Void> done = new CompletableFuture<>(); // a caller that stops waiting completes it
        if (lasts(wanted)) {
            done.complete(null);
            return done;
        }
        long sentAt = time.nanoTime();
        asksFor(wanted);
        Calls.stage(() -> store.renew(lease, wanted)).whenComplete((prolonged, failure) -> {
            if (failure != null) {
                done.completeExceptionally(Calls.translate(leases.address(), failure));
                return;
            }
            answered(prolonged, () -> {
                if (!done.isDone()) { // otherwise the caller has stopped waiting and does not rely on it
                    extendedBy(wanted, sentAt);
                }
            });
            done.complete(null);
        });
        return done;
    }

    /** Whether the lease lasts for this time without an extension. */
    private boolean lasts(Duration wanted) {
        lock.lock();
        try {
            return end - time.nanoTime() >= wanted.toNanos();
        } finally {
            lock.unlock();
        }
    }

    private void asksFor(Duration wanted) {
        lock.lock();
        try {
            longest = wanted.compareTo(longest) > 0 ? wanted : longest;
        } finally {
            lock.unlock();
        }
    }

    /** The lease was extended. The store vouches for no longer at once than it did when it gave the lease. */
    private void extendedBy(Duration wanted, long sentAt) {
        long most = wanted.toNanos();
        lock.lock();
        try {
            long until = sentAt + most;
            if (until - end > 0) {
                end = until;
                length = wanted;
                renewed |= sentAt + validityNanos - latest() < 0;
            }
        } finally {
            lock.unlock();
        }
        prolong(sentAt + Math.min(validityNanos, most));
        keepAlive(validityNanos / 3);
    }

    /** Called under the lock. */
    private boolean isOver() {
        return !terms.renewed() && time.nanoTime() - latest() >= 0;
    }

    /**
     * Until when a lease with an end may last: a little less than its end, because clocks may run at different speeds.
     * Called under the lock.
     */
    private long latest() {
        return end - length.toNanos() / 50;
    }

    /** Several renewals may be under way, if the store is slow; the latest deadline counts. */
    private void prolong(long until) {
        lock.lock();
        try {
            long next = terms.renewed() || until - latest() < 0 ? until : latest();
            if (valid() && next - deadline > 0) {
                deadline = next;
                pauses.reset();
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
        leases.releasing(lease.name(), left);
        release();
        return left;
    }

    private void release() {
        Calls.stage(() -> store.release(lease)).whenComplete((released, failure) -> {
            if (Calls.isRefusal(failure)) { // other failures that last are told to those who acquire
                tell("a lease is not given back: " + Calls.message(failure));
            }
            if (failure == null || ended || hasEndedLongAgo()) {
                if (!told.isEmpty()) {
                    leases.releaseTrouble().isOver();
                }
                left.complete(null);
            } else {
                time.schedule(releasePauses.next(time.nanoTime()), this::release);
            }
        });
    }

    /** Tells a problem once, also if other releases succeed or are refused for another reason meanwhile. */
    private void tell(String problem) {
        if (!problem.equals(told)) {
            told = problem;
            leases.releaseTrouble().is(problem);
        }
    }

    /** Whether the lease must have ended at the store by now, even if the last renewal arrived late. */
    private boolean hasEndedLongAgo() {
        lock.lock();
        try {
            return time.nanoTime() - deadline >= longest.toNanos();
        } finally {
            lock.unlock();
        }
    }
}
