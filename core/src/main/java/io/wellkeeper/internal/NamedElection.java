package io.wellkeeper.internal;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Participant;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Acquires the lock of the same name again and again, until it is told not to. */
final class NamedElection implements LeaderElection {

    private static final Duration STAND_AGAIN = Duration.ofSeconds(1);

    private final String name;
    private final Listener listener;
    private final TicketClient client;

    private final Trouble trouble;

    private final Monitor lock = new Monitor(); // guards all below
    private boolean standing;
    private boolean closed;
    private long term; // numbers the candidacies: what belongs to an old one is not heard
    private @Nullable CompletableFuture<LockHandle> queued;
    private @Nullable LockHandle leading;
    private Registration alarm = Registration.NONE;

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
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("election '" + name + "': this candidate is closed");
            }
            if (standing) {
                return;
            }
            standing = true;
            stand();
        } finally {
            lock.unlock();
        }
    }

    /** With the lock held; the future completes on the callback executor, or is refused at once. */
    private void stand() {
        long candidacy = ++term;
        CompletableFuture<LockHandle> acquiring = client.lock(name).acquireAsync();
        queued = acquiring;
        acquiring.whenComplete((handle, failure) -> {
            if (handle != null) {
                elected(candidacy, handle);
            } else {
                failed(candidacy, failure);
            }
        });
    }

    private void elected(long candidacy, LockHandle handle) {
        lock.lock();
        try {
            if (candidacy != term) {
                client.events().run(handle::close);
                return;
            }
            queued = null;
            leading = handle;
        } finally {
            lock.unlock();
        }
        trouble.isOver();
        long token;
        try {
            token = handle.fencingToken();
        } catch (LockLostException already) {
            deposed(candidacy, String.valueOf(already.getMessage()), false);
            return;
        }
        listener.elected(token);
        handle.onLost(() -> deposed(candidacy, reason(handle), true));
    }

    private static String reason(LockHandle handle) {
        try {
            handle.checkHeld();
            return "";
        } catch (IllegalMonitorStateException lost) {
            return String.valueOf(lost.getMessage());
        }
    }

    /** On the callback executor. */
    private void deposed(long candidacy, String reason, boolean tell) {
        lock.lock();
        try {
            if (candidacy != term) {
                return;
            }
            leading = null;
            if (!client.isClosed()) {
                stand();
            }
        } finally {
            lock.unlock();
        }
        if (tell) {
            listener.deposed(reason);
        }
    }

    /** The store refuses just now: later. */
    private void failed(long candidacy, Throwable failure) {
        lock.lock();
        try {
            if (candidacy != term || client.isClosed()) {
                return;
            }
            alarm = client.time().schedule(STAND_AGAIN, () -> again(candidacy));
        } finally {
            lock.unlock();
        }
        trouble.is("election '" + name + "': this candidate cannot stand: " + Calls.message(failure));
    }

    private void again(long candidacy) {
        lock.lock();
        try {
            if (candidacy == term && !client.isClosed()) {
                stand();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void resign() {
        LockHandle given;
        CompletableFuture<LockHandle> left;
        lock.lock();
        try {
            if (!standing) {
                return;
            }
            standing = false;
            term++;
            alarm.close();
            given = leading;
            left = queued;
            leading = null;
            queued = null;
        } finally {
            lock.unlock();
        }
        if (left != null) {
            left.cancel(false);
        }
        if (given != null) {
            try {
                given.close();
            } catch (LockLostException known) {
                // it no longer leads, which is what is wanted
            }
            client.events().run(() -> listener.deposed("it has resigned"));
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
            return leading;
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
        return client.inspect(name).holders().stream().findFirst();
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

    @Override
    public String toString() {
        return "LeaderElection[" + name + "]";
    }
}
