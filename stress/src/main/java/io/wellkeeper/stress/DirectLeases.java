package io.wellkeeper.stress;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A store of one lease, which never expires. It answers at once on the thread that asks, and hints on the thread that
 * releases.
 */
final class DirectLeases implements LeaseStore {

    private final AtomicReference<@Nullable Lease> held = new AtomicReference<>();
    private final AtomicLong tokens = new AtomicLong();
    private final List<Runnable> hints = new CopyOnWriteArrayList<>();

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        Lease lease =
                new Lease(request.name(), request.owner(), OptionalLong.of(tokens.incrementAndGet()), request.ttl());
        return answer(held.compareAndSet(null, lease) ? Optional.of(lease) : Optional.empty());
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return answer(isHeld(lease));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        Lease current = held.get();
        boolean released = isHeld(lease) && held.compareAndSet(current, null);
        if (released) {
            hints.forEach(Runnable::run);
        }
        return answer(released);
    }

    private boolean isHeld(Lease lease) {
        Lease current = held.get();
        return current != null && current.owner().equals(lease.owner());
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        Runnable own = hint::run;
        hints.add(own);
        return () -> hints.remove(own);
    }

    private static <T> CompletionStage<T> answer(T value) {
        return CompletableFuture.completedFuture(value);
    }

    /** How many leases and watches there are. */
    int leftovers() {
        return hints.size() + (held.get() == null ? 0 : 1);
    }

    @Override
    public String address() {
        return "direct";
    }

    @Override
    public void close() {}
}
