package io.wellkeeper.jdbc;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows who has a lease.
 *
 * @param leases the locks' names, by owner
 */
record RememberingLeases(LeaseStore store, Map<String, String> leases) implements LeaseStore {

    RememberingLeases(LeaseStore store) {
        this(store, new ConcurrentHashMap<>());
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        return store.tryAcquire(request).whenComplete((lease, failure) -> {
            if (lease != null && lease.isPresent()) {
                leases.put(request.owner(), request.name());
            }
        });
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return store.renew(lease, ttl);
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return store.release(lease).whenComplete((released, failure) -> leases.remove(lease.owner()));
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
    public void close() {
        store.close();
    }
}
