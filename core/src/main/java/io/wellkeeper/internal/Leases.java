package io.wellkeeper.internal;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Time;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all lease attempts and lease grants of one client share, and the answers and releases that are still to come.
 */
final class Leases {

    private final LeaseStore store;
    private final Time time;
    private final BooleanSupplier closed;
    private final Trouble trouble;
    private final Trouble releaseTrouble; // each trouble is told once
    private final Stragglers stragglers = new Stragglers();
    private final Tries tries;
    private final Set<CompletableFuture<Void>> owed =
            ConcurrentHashMap.newKeySet(); // answers to come, and releases of all that was given
    private final Map<String, Integer> releases =
            new ConcurrentHashMap<>(); // under way, or to be sent once more: how many, by the name of the lock

    /**
     * @param closed whether the client is closed: then no more leases are asked for
     */
    Leases(LeaseStore store, Time time, Events events, BooleanSupplier closed) {
        this.store = store;
        this.time = time;
        this.closed = closed;
        this.trouble = new Trouble(events, address());
        this.releaseTrouble = new Trouble(events, address());
        this.tries = new Tries(time);
    }

    LeaseStore store() {
        return store;
    }

    String address() {
        return Calls.address(store::address);
    }

    Time time() {
        return time;
    }

    boolean areClosed() {
        return closed.getAsBoolean();
    }

    /** Told why no lease is given. */
    Trouble trouble() {
        return trouble;
    }

    /** Told why a lease cannot be given back. */
    Trouble releaseTrouble() {
        return releaseTrouble;
    }

    Stragglers stragglers() {
        return stragglers;
    }

    Tries tries() {
        return tries;
    }

    /**
     * Asks for a lease once.
     *
     * @param onAnswer told of the answer, or the failure
     */
    void ask(Supplier<LeaseRequest> request, BiConsumer<@Nullable Optional<Lease>, @Nullable Throwable> onAnswer) {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        owed(settled);
        Calls.stage(() -> store.tryAcquire(request.get()))
                .whenComplete(onAnswer)
                .whenComplete((lease, failure) -> settled.complete(null));
    }

    /** When the client is closed, it is to wait until this future is completed. */
    void owed(CompletableFuture<Void> end) {
        owed.add(end);
        end.whenComplete((done, failure) -> owed.remove(end));
    }

    /**
     * A lease is being given back from now on.
     *
     * @param released completes when the store is known to have released it
     */
    void releasing(String name, CompletableFuture<Void> released) {
        releases.merge(name, 1, Integer::sum);
        released.whenComplete(
                (done, failure) -> releases.computeIfPresent(name, (same, count) -> count == 1 ? null : count - 1));
    }

    /** Whether a lease has been given back, and the store may not know it yet. */
    boolean areReleasing(String name) {
        return releases.containsKey(name);
    }

    /**
     * Completes when everything that is owed by now has ended. An answer that is still to come may bring a lease, whose
     * release is then owed, too.
     */
    CompletableFuture<Void> settled() {
        return CompletableFuture.allOf(owed.toArray(CompletableFuture<?>[]::new));
    }

    boolean areSettled() {
        return owed.isEmpty();
    }
}
