package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that passes each call on to another store. A test overrides methods of it to observe the calls or to change
 * the answers. Thread-safe if the other store is.
 */
public class ForwardingLeaseStore implements LeaseStore {

    private final LeaseStore store;

    /**
     * Wraps another store.
     *
     * @param store the other store; it is closed together with this one
     */
    public ForwardingLeaseStore(LeaseStore store) {
        this.store = store;
    }

    /** {@return the wrapped store} */
    public final LeaseStore store() {
        return store;
    }

    @Override
    public void expect(Duration timeout) {
        store.expect(timeout);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        return store.tryAcquire(request);
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return store.renew(lease, ttl);
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return store.release(lease);
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        return store.onRelease(name, hint);
    }

    @Override
    public String address() {
        return store.address();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + address() + "]";
    }

    @Override
    public void close() {
        store.close();
    }
}
