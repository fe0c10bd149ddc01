package io.wellkeeper.storekit;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes calls on to another store, and remembers which leases may exist: for fixtures that take leases away.
 * Thread-safe.
 */
public final class RememberingLeaseStore extends ForwardingLeaseStore {

    private final Map<String, String> names = new ConcurrentHashMap<>();

    /**
     * Wraps another store.
     *
     * @param store the other store; it is closed together with this one
     */
    public RememberingLeaseStore(LeaseStore store) {
        super(store);
    }

    /** {@return the names of the locks that were requested and not given back since, by the owners of the requests} */
    public Map<String, String> names() {
        return Map.copyOf(names);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        return super.tryAcquire(request).whenComplete((lease, failure) -> names.put(request.owner(), request.name()));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return super.release(lease).whenComplete((released, failure) -> names.remove(lease.owner()));
    }
}
