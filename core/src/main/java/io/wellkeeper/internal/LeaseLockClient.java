package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Locks made of leases. */
final class LeaseLockClient extends AbstractClient implements LeaseClient {

    private static final int BEATS_PER_SESSION = 8;
    private static final int MOST_ASKING =
            2; // attempts for one name: if the answer to one is late, another can still ask

    private final LeaseStore store;
    private final boolean ownsStore;
    private final Leases leases;
    private final Contender contender;
    private final Monitor lock = new Monitor(); // guards the next one
    private Registration nextBeat = Registration.NONE;
    private volatile boolean beating; // another beat will come; becomes true under the lock

    LeaseLockClient(LeaseStore store, boolean ownsStore, ClientOptions options) {
        super(options);
        this.store = store;
        this.ownsStore = ownsStore;
        store.expect(options.sessionTimeout());
        this.leases = new Leases(store, time(), events(), this::isClosed);
        Contender loops = (name, want, mayWait, metadata, listener) ->
                new LeaseLoop(leases, name, mayWait, LeaseTerms.of(want, options), metadata, listener);
        this.contender = new LocalLine(loops, MOST_ASKING, want -> true);
    }

    /** There is no session with a heartbeat, so a timer of its own calls {@link Gate#beat} about as often. */
    @Override
    Gate gate(String name, Side side, LockOptions lockOptions) {
        Gate gate = super.gate(name, side, lockOptions);
        scheduleBeat(); // after the gate is there: a beat first clears "beating", and then looks for gates
        return gate;
    }

    private void scheduleBeat() {
        if (beating) {
            return;
        }
        lock.lock();
        try {
            if (!beating && !isClosed()) {
                beating = true;
                nextBeat = time().schedule(options().sessionTimeout().dividedBy(BEATS_PER_SESSION), this::beat);
            }
        } finally {
            lock.unlock();
        }
    }

    private void beat() {
        Deque<Runnable> beats = new ArrayDeque<>();
        gates().forEach(gate -> beats.add(gate::beat));
        doSome(beats, () -> {
            beating = false;
            if (gates().iterator().hasNext()) {
                scheduleBeat();
            }
        });
    }

    private void endBeats() {
        lock.lock();
        try {
            nextBeat.close();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public LeaseHandle acquireLease(String name, Duration length) throws InterruptedException {
        return lease(name, length).acquire();
    }

    @Override
    public Optional<LeaseHandle> tryAcquireLease(String name, Duration length) {
        return lease(name, length).tryAcquire();
    }

    @Override
    public Optional<LeaseHandle> tryAcquireLease(String name, Duration length, Duration timeout)
            throws InterruptedException {
        return lease(name, length).tryAcquire(timeout);
    }

    @Override
    public CompletableFuture<LeaseHandle> acquireLeaseAsync(String name, Duration length) {
        return lease(name, length).acquireAsync();
    }

    @Override
    public CompletableFuture<Optional<LeaseHandle>> tryAcquireLeaseAsync(
            String name, Duration length, Duration timeout) {
        return lease(name, length).tryAcquireAsync(timeout);
    }

    private Door<LeaseHandle> lease(String name, Duration length) {
        LockOptions lockOptions = options().lockDefaults();
        checkUse(name, lockOptions);
        return new Door<>(
                this, name, Side.LEASE, Want.lease(LeasedHandle.check(length)), lockOptions, LeasedHandle::new);
    }

    @Override
    public Contender contender() {
        return contender;
    }

    @Override
    DistributedCondition condition(NamedLock lock, String name) {
        throw new UnsupportedOperationException(describeStore() + " keeps no queue, and so no conditions");
    }

    @Override
    public String describeStore() {
        return "store " + leases.address();
    }

    /** There is no session whose silence would show that the store is out of touch. */
    @Override
    public boolean isStoreInTouch(String name) {
        return true;
    }

    @Override
    void closeStore(long deadlineNanos) {
        endBeats();
        do { // an answer may bring a lease, which is then released
            awaitQuietly(leases.settled(), deadlineNanos, "what was given back at closing");
        } while (!leases.areSettled() && deadlineNanos - System.nanoTime() > 0);
        if (ownsStore) {
            store.close();
        }
    }

    @Override
    public String toString() {
        return describe(LeaseClient.class);
    }
}
