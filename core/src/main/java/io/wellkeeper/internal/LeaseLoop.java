package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires over a store that can only say yes or no: asks, waits for a hint or for a pause, and asks again. It never
 * blocks.
 *
 * <p>The pause grows from try to try and is jittered, so that many waiters do not ask in step.
 */
final class LeaseLoop implements Attempt {

    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LAST_WAIT = Duration.ofSeconds(1);

    private final Leases leases;
    private final String name;
    private final boolean mayWait;
    private final LeaseTerms terms;
    private final Supplier<String> metadata;
    private final Attempt.Listener listener;
    private volatile long since;

    private final Monitor lock = new Monitor(); // guards all below
    private String owner =
            UUID.randomUUID().toString(); // of the next request; a new one once a lease has been given back
    private boolean over;
    private boolean asking;
    private boolean askAgain;
    private boolean releasing; // at the last request: the store may not yet have known of a release by this client
    private boolean unknown; // whether an earlier request was or will be carried out; a later refusal does not tell
    private boolean waiting;
    private final Pauses pauses = new Pauses(FIRST_WAIT, LAST_WAIT);
    private Registration hints = Registration.NONE;
    private Registration alarm = Registration.NONE;
    private Registration inLine = Registration.NONE; // the place in the line behind abandoned requests
    private volatile boolean answered;
    private volatile @Nullable Throwable lastFailure;

    LeaseLoop(
            Leases leases,
            String name,
            boolean mayWait,
            LeaseTerms terms,
            Supplier<String> metadata,
            Attempt.Listener listener) {
        this.leases = leases;
        this.name = name;
        this.mayWait = mayWait;
        this.terms = terms;
        this.metadata = metadata;
        this.listener = listener;
        this.since = now();
    }

    private long now() {
        return leases.time().nanoTime();
    }

    @Override
    public boolean answered() {
        return answered;
    }

    @Override
    public long since() {
        return since;
    }

    @Override
    public @Nullable Throwable trouble() {
        return lastFailure;
    }

    @Override
    public void start() {
        since = now();
        askInTurn();
    }

    private void askInTurn() {
        if (!waitsInLine()) {
            ask();
        }
    }

    /**
     * Whether the attempt has to wait in line. It gets its place under the lock, so that of two threads that get a
     * place, only the earlier place is left: the line may have let it go by then.
     */
    private boolean waitsInLine() {
        lock.lock();
        try {
            Registration place = over ? null : leases.stragglers().enter(name, this::askInTurn);
            if (place != null) {
                inLine.close();
                inLine = place;
            }
            return place != null;
        } finally {
            lock.unlock();
        }
    }

    private void ask() {
        String asker;
        lock.lock();
        try {
            if (over || leases.areClosed()) {
                return;
            }
            if (asking) {
                askAgain = true;
                return;
            }
            asking = true;
            askAgain = false;
            releasing = leases.areReleasing(name);
            alarm.close();
            asker = owner;
        } finally {
            lock.unlock();
        }
        long sentAt = now();
        leases.ask(
                () -> new LeaseRequest(name, asker, terms.ttl(), metadata.get()),
                (lease, failure) -> onAnswer(sentAt, lease, failure));
    }

    private void onAnswer(long sentAt, @Nullable Optional<Lease> answer, @Nullable Throwable failure) {
        Throwable before = lastFailure;
        lastFailure = failure;
        if (failure == null) {
            leases.trouble().isOver();
        } else if (Calls.isNews(before, failure)) { // told once, also if others are answered meanwhile
            leases.trouble().is(Calls.message(failure));
        }
        LeaseGrant grant = answer == null || answer.isEmpty() ? null : grant(answer.get(), sentAt);
        Runnable then;
        lock.lock();
        try {
            asking = false;
            unknown = grant == null && (unknown || (answer == null && !Calls.isRefusal(failure)));
            answered |= answer != null;
            if (over) {
                LeaseGrant left = grant == null && unknown ? grantOfUnknown() : grant;
                then = () -> {
                    if (left != null) {
                        left.leave();
                    }
                    leases.stragglers().answered(name);
                };
            } else if (grant != null && grant.valid()) {
                then = end(() -> listener.entered(grant));
            } else if (grant != null) {
                owner = UUID.randomUUID().toString(); // a release that is repeated must not meet the next lease
                Runnable again = waitOrAskAgain(false); // after a pause: else a slow store would be asked endlessly
                then = () -> {
                    grant.leave();
                    again.run();
                };
            } else if (failure != null && Calls.isRefusal(failure)) {
                RuntimeException reason = Calls.unwrap(failure) instanceof IllegalArgumentException wrong
                        ? wrong
                        : Calls.translate(leases.address(), failure);
                then = endOwing(() -> listener.failed(reason));
            } else if (mayWait || answer == null || isRefusedForOwn()) {
                then = waitOrAskAgain(mayWait && answer != null);
            } else {
                then = endOwing(listener::refused);
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /**
     * Whether the refusal may be due to this client's own lease, which was given back before and is still to be
     * released, for example because the connection broke. Then perhaps nobody else has the lock.
     */
    private boolean isRefusedForOwn() {
        return releasing && leases.areReleasing(name);
    }

    private Runnable end(Runnable then) {
        over = true;
        alarm.close();
        Registration armed = hints;
        Registration line = inLine;
        hints = Registration.NONE;
        return () -> {
            armed.close();
            line.close();
            then.run();
        };
    }

    /** Ends, and gives back the lease that an earlier request may have been given. */
    private Runnable endOwing(Runnable then) {
        boolean owing = unknown;
        return end(() -> {
            if (owing) {
                grantOfUnknown().leave();
            }
            then.run();
        });
    }

    private Runnable waitOrAskAgain(boolean taken) {
        if (askAgain) {
            return this::askInTurn;
        }
        boolean first = taken && !waiting;
        waiting |= taken;
        alarm = leases.tries().schedule(pauses.next(now()), this::askInTurn);
        return () -> {
            if (first) {
                listener.waiting();
                armHints();
            }
        };
    }

    /** Arms the hints first and asks again afterwards, so that a release in between is not missed. */
    private void armHints() {
        Registration armed;
        try {
            armed = Calls.watch(() -> leases.store().onRelease(name, this::askInTurn));
        } catch (Throwable failed) {
            return; // without hints it asks again after a while
        }
        boolean keep;
        lock.lock();
        try {
            keep = !over;
            if (keep) {
                hints = armed;
            }
        } finally {
            lock.unlock();
        }
        if (keep) {
            if (armed != Registration.NONE) {
                askInTurn();
            }
        } else {
            armed.close();
        }
    }

    /** The lease that a request with unknown outcome may have been given. */
    private LeaseGrant grantOfUnknown() {
        return grant(new Lease(name, owner, OptionalLong.empty(), terms.ttl()), now());
    }

    private LeaseGrant grant(Lease lease, long sentAt) {
        return new LeaseGrant(leases, lease, terms, sentAt);
    }

    @Override
    public void abandon() {
        Runnable then;
        lock.lock();
        try {
            if (over) {
                return;
            }
            if (asking) {
                then = end(() -> leases.stragglers().abandoned(name));
            } else {
                then = endOwing(() -> {});
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }
}
