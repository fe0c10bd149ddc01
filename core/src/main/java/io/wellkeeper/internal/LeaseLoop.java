package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires over a store that can only say yes or no: asks, waits for a hint or a while, asks again. It never blocks.
 *
 * <p>The while grows from try to try and is jittered, so that many who wait do not ask in step.
 */
final class LeaseLoop implements Attempt {

    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LAST_WAIT = Duration.ofSeconds(1);

    private final String name;
    private final boolean mayWait;
    private final LeaseTerms terms;
    private final Supplier<String> metadata;
    private final LeaseStore store;
    private final Time time;
    private final Trouble trouble;
    private final Trouble releaseTrouble;
    private final Consumer<CompletableFuture<Void>> owed;
    private final Stragglers stragglers;
    private final Tries tries;
    private final BooleanSupplier closed;
    private final Attempt.Listener listener;
    private volatile long since;

    private final Monitor lock = new Monitor(); // guards all below
    private String owner =
            UUID.randomUUID().toString(); // of the next request; a new one once a lease has been given back
    private boolean over;
    private boolean asking;
    private boolean askAgain;
    private boolean unknown; // whether a request was carried out, or will be: a refusal later tells nothing of it
    private boolean waiting;
    private final Pauses pauses = new Pauses(FIRST_WAIT, LAST_WAIT);
    private Registration hints = Registration.NONE;
    private Registration alarm = Registration.NONE;
    private Registration inLine = Registration.NONE; // behind requests that nobody wants any more
    private volatile boolean answered;
    private volatile @Nullable Throwable lastFailure;

    /**
     * @param closed whether the client is: then nothing more is asked for
     */
    LeaseLoop(
            String name,
            boolean mayWait,
            LeaseTerms terms,
            Supplier<String> metadata,
            LeaseStore store,
            Time time,
            Trouble trouble,
            Trouble releaseTrouble,
            Consumer<CompletableFuture<Void>> owed,
            Stragglers stragglers,
            Tries tries,
            BooleanSupplier closed,
            Attempt.Listener listener) {
        this.name = name;
        this.mayWait = mayWait;
        this.terms = terms;
        this.metadata = metadata;
        this.store = store;
        this.time = time;
        this.trouble = trouble;
        this.releaseTrouble = releaseTrouble;
        this.owed = owed;
        this.stragglers = stragglers;
        this.tries = tries;
        this.closed = closed;
        this.listener = listener;
        this.since = time.nanoTime();
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
        since = time.nanoTime();
        askInTurn();
    }

    private void askInTurn() {
        Registration line = stragglers.enter(name, this::askInTurn);
        if (line == null) {
            ask();
        } else {
            waitInLine(line);
        }
    }

    private void waitInLine(Registration line) {
        Registration unneeded;
        lock.lock();
        try {
            unneeded = over ? line : inLine;
            inLine = over ? inLine : line;
        } finally {
            lock.unlock();
        }
        unneeded.close();
    }

    private void ask() {
        String asker;
        lock.lock();
        try {
            if (over || closed.getAsBoolean()) {
                return;
            }
            if (asking) {
                askAgain = true;
                return;
            }
            asking = true;
            askAgain = false;
            alarm.close();
            asker = owner;
        } finally {
            lock.unlock();
        }
        CompletableFuture<Void> settled = new CompletableFuture<>();
        owed.accept(settled);
        long sentAt = time.nanoTime();
        Calls.stage(() -> store.tryAcquire(new LeaseRequest(name, asker, terms.ttl(), metadata.get())))
                .whenComplete((lease, failure) -> onAnswer(sentAt, lease, failure))
                .whenComplete((lease, failure) -> settled.complete(null));
    }

    private void onAnswer(long sentAt, @Nullable Optional<Lease> answer, @Nullable Throwable failure) {
        Throwable before = lastFailure;
        lastFailure = failure;
        if (failure == null) {
            trouble.isOver();
        } else if (Calls.isNews(before, failure)) { // once, also if others are answered meanwhile
            trouble.is(Calls.message(failure));
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
                    stragglers.answered(name);
                };
            } else if (grant != null && grant.valid()) {
                then = end(() -> listener.entered(grant));
            } else if (grant != null) {
                owner = UUID.randomUUID().toString(); // a release that is repeated must not meet the next lease
                Runnable again = waitOrAskAgain(false); // at once, a store that is slow would have no end of it
                then = () -> {
                    grant.leave();
                    again.run();
                };
            } else if (failure != null && Calls.isRefusal(failure)) {
                RuntimeException reason = Calls.unwrap(failure) instanceof IllegalArgumentException wrong
                        ? wrong
                        : Calls.translate(Calls.address(store::address), failure);
                then = endOwing(() -> listener.failed(reason));
            } else if (answer != null && !mayWait) {
                then = endOwing(listener::refused);
            } else {
                then = waitOrAskAgain(answer != null);
            }
        } finally {
            lock.unlock();
        }
        then.run();
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

    /** Ends, and gives back what an earlier request may have been given. */
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
        alarm = tries.schedule(pauses.next(time.nanoTime()), this::askInTurn);
        return () -> {
            if (first) {
                listener.waiting();
                armHints();
            }
        };
    }

    /** Armed first and asked again afterwards, so that a release in between is not missed. */
    private void armHints() {
        Registration armed;
        try {
            armed = Calls.watch(() -> store.onRelease(name, this::askInTurn));
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

    /** What a request may have been given of which nobody knows what has become of it. */
    private LeaseGrant grantOfUnknown() {
        return grant(new Lease(name, owner, OptionalLong.empty(), terms.ttl()), time.nanoTime());
    }

    private LeaseGrant grant(Lease lease, long sentAt) {
        return new LeaseGrant(store, lease, terms, sentAt, time, releaseTrouble, owed);
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
                then = end(() -> stragglers.abandoned(name));
            } else {
                then = endOwing(() -> {});
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }
}
