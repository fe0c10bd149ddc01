package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Another store, which a test may observe, or change the answers of. Thread-safe if that store is. */
public class ForwardingLeaseStore implements LeaseStore {

    private final LeaseStore store;

    /**
     * Over another store.
     *
     * @param store closed with this
     */
    public ForwardingLeaseStore(LeaseStore store) {
        this.store = store;
    }

    /** {@return the store that this is over} */
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
