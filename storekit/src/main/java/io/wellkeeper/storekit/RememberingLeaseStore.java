package io.wellkeeper.storekit;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Another store, and who may have a lease of it: for fixtures that take leases away. Thread-safe. */
public final class RememberingLeaseStore extends ForwardingLeaseStore {

    private final Map<String, String> names = new ConcurrentHashMap<>();

    /**
     * Over another store.
     *
     * @param store closed with this
     */
    public RememberingLeaseStore(LeaseStore store) {
        super(store);
    }

    /** The names of the locks that were asked for and not given back since, each by the owner of its request. */
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
