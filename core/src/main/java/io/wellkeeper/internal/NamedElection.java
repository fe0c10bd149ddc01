package io.wellkeeper.internal;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Participant;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the lock of the same name again and again, until the candidate resigns. Calls of the listener are put into a
 * line, and one task at a time makes them. So they come in order on any executor. If the listener was not told of a
 * leadership before it ended, it is not told of it any more.
 */
final class NamedElection implements LeaderElection {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final Duration STAND_AGAIN = Duration.ofSeconds(1);

    private final String name;
    private final Listener listener;
    private final TicketClient client;

    private final Trouble trouble;

    private final Monitor lock = new Monitor(); // guards all below
    private final Deque<Runnable> words = new ArrayDeque<>(); // calls of the listener, in the order of the events
    private boolean telling; // a task makes these calls
    private boolean standing;
    private boolean closed;
    private long term; // numbers the candidacies: events of an old one are ignored
    private @Nullable CompletableFuture<LockHandle> queued;
    private @Nullable Leadership leading;
    private Registration alarm = Registration.NONE;

    /** The time from acquiring the lock to losing it or giving it back. */
    private static final class Leadership {

        final long candidacy;
        final LockHandle handle;
        boolean told; // the listener knows that it began, not yet that it ended; used by one word at a time

        Leadership(long candidacy, LockHandle handle) {
            this.candidacy = candidacy;
            this.handle = handle;
        }
    }

    NamedElection(String name, Listener listener, TicketClient client) {
        this.name = name;
        this.listener = listener;
        this.client = client;
        this.trouble = new Trouble(client.events(), client.address());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void campaign() {
        long candidacy;
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("election '" + name + "': this candidate is closed");
            }
            if (client.isClosed()) {
                throw client.closedException();
            }
            if (standing) {
                return;
            }
            standing = true;
            candidacy = ++term;
        } finally {
            lock.unlock();
        }
        stand(candidacy);
    }

    /**
     * Asks for the lock. If the client is closed meanwhile, the candidate does not get it. The future completes on the
     * callback executor, or is refused at once.
     */
    private void stand(long candidacy) {
        CompletableFuture<LockHandle> acquiring;
        try {
            acquiring = client.lock(name).acquireAsync();
        } catch (LockClientClosedException closedMeanwhile) {
            return;
        }
        if (!isNow(candidacy, () -> queued = acquiring)) {
            acquiring.cancel(false);
        }
        acquiring.whenComplete((handle, failure) -> {
            if (handle != null) {
                lead(new Leadership(candidacy, handle));
            } else if (!client.isClosed() && isNow(candidacy, () -> {})) { // it has not resigned
                trouble.is("election '" + name + "': this candidate cannot stand: " + Calls.message(failure));
                standLater(candidacy);
            }
        });
    }

    /** Whether this is the present candidacy. If so, runs the bookkeeping under the monitor. */
    private boolean isNow(long candidacy, Runnable bookkeeping) {
        lock.lock();
        try {
            boolean now = candidacy == term;
            if (now) {
                bookkeeping.run();
            }
            return now;
        } finally {
            lock.unlock();
        }
    }

    private void lead(Leadership won) {
        trouble.isOver();
        boolean now = isNow(won.candidacy, () -> {
            queued = null;
            leading = won;
            words.add(() -> tellElected(won));
        });
        if (!now) {
            giveBack(won); // at once, because another callback may wait for the lock
            return;
        }
        beginTelling();
        won.handle.onLost(() -> lost(won));
        won.handle.onRevocationRequested((who, reason) -> tell(() -> tellRequested(won, who, reason)));
    }

    /** Tells the listener that it was elected, unless the leadership has ended by now. */
    private void tellElected(Leadership won) {
        if (leading() != won.handle) {
            return;
        }
        long token;
        try {
            token = won.handle.fencingToken();
        } catch (IllegalMonitorStateException over) {
            return;
        }
        won.told = true;
        listener.elected(token);
    }

    private void tellRequested(Leadership asked, String who, String reason) {
        if (asked.told) {
            listener.revocationRequested(who, reason);
        }
    }

    private void tellDeposed(Leadership over, String reason) {
        if (over.told) {
            over.told = false;
            listener.deposed(reason);
        }
    }

    private void lost(Leadership over) {
        if (end(over)) {
            beginTelling();
            stand(over.candidacy);
        }
    }

    /** Ends a leadership that was lost. False if it has ended before, as when it was given back. */
    private boolean end(Leadership over) {
        lock.lock();
        try {
            boolean first = leading == over;
            if (first) {
                leading = null;
                words.add(() -> tellDeposed(over, reason(over.handle)));
            }
            return first;
        } finally {
            lock.unlock();
        }
    }

    private static String reason(LockHandle handle) {
        try {
            handle.checkHeld();
            return "the leadership is over";
        } catch (IllegalMonitorStateException lost) {
            return String.valueOf(lost.getMessage());
        }
    }

    private void tell(Runnable word) {
        lock.lock();
        try {
            words.add(word);
        } finally {
            lock.unlock();
        }
        beginTelling();
    }

    /** Starts a task that makes the calls of the listener, unless one is doing so. */
    private void beginTelling() {
        lock.lock();
        try {
            if (telling || words.isEmpty()) {
                return;
            }
            telling = true;
        } finally {
            lock.unlock();
        }
        client.events().run(this::tellAll);
    }

    private void tellAll() {
        for (Runnable word = nextWord(); word != null; word = nextWord()) {
            try {
                word.run();
            } catch (Throwable thrown) {
                LOG.warn("the listener of election '{}' has thrown", name, thrown);
            }
        }
    }

    private @Nullable Runnable nextWord() {
        lock.lock();
        try {
            Runnable next = words.poll();
            telling = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Stands again after a pause, because the store has refused. */
    private void standLater(long candidacy) {
        Registration later = client.time().schedule(STAND_AGAIN, () -> {
            if (isNow(candidacy, () -> {})) {
                stand(candidacy);
            }
        });
        if (!isNow(candidacy, () -> alarm = later)) {
            later.close();
        }
    }

    @Override
    public void resign() {
        Leadership given;
        CompletableFuture<LockHandle> left;
        Registration later;
        lock.lock();
        try {
            if (!standing) {
                return;
            }
            standing = false;
            term++;
            given = leading;
            left = queued;
            later = alarm;
            leading = null;
            queued = null;
            if (given != null) {
                words.add(() -> tellDeposed(given, "it has resigned"));
            }
        } finally {
            lock.unlock();
        }
        later.close();
        if (left != null) {
            left.cancel(false);
        }
        if (given != null) {
            giveBack(given);
        }
    }

    private void giveBack(Leadership given) {
        try {
            given.handle.close();
        } catch (LockLostException known) {
            // it no longer leads, which is what is wanted
        } finally {
            beginTelling();
        }
    }

    @Override
    public boolean isLeader() {
        LockHandle handle = leading();
        return handle != null && handle.isHeld();
    }

    private @Nullable LockHandle leading() {
        lock.lock();
        try {
            return leading == null ? null : leading.handle;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public OptionalLong fencingToken() {
        LockHandle handle = leading();
        try {
            return handle == null ? OptionalLong.empty() : OptionalLong.of(handle.fencingToken());
        } catch (IllegalMonitorStateException lost) {
            return OptionalLong.empty();
        }
    }

    @Override
    public Optional<Participant> leader() {
        return client.admin().inspect(name).holders().stream().findFirst();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        resign();
    }

    private String standing() {
        if (isLeader()) {
            return "leading";
        }
        lock.lock();
        try {
            return closed ? "closed" : standing ? "standing" : "not standing";
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return client.describe(LeaderElection.class, name, standing());
    }
}
