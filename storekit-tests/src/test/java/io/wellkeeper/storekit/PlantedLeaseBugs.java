package io.wellkeeper.storekit;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Stores of leases that break one law each, as fixtures of the kit. */
final class PlantedLeaseBugs {

    private PlantedLeaseBugs() {}

    /** A server whose clients have the bug. What is to end too early ends before the next one asks for a lease. */
    abstract static class Fixture extends InMemoryLeaseFixture {

        private final Map<Lease, Long> ends = new ConcurrentHashMap<>(); // by System.nanoTime

        @Override
        public LeaseStore connect() {
            return plant(new ForwardingLeaseStore(super.connect()) {
                @Override
                public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                    long now = System.nanoTime();
                    ends.forEach((lease, end) -> {
                        if (now - end >= 0 && ends.remove(lease, end)) {
                            super.release(lease);
                        }
                    });
                    return super.tryAcquire(request);
                }
            });
        }

        abstract LeaseStore plant(LeaseStore sound);

        void end(Lease lease, Duration ttl) {
            ends.put(lease, System.nanoTime() + ttl.toNanos());
        }
    }

    static final class RenewsForLess extends Fixture {
        @Override
        LeaseStore plant(LeaseStore sound) {
            return new ForwardingLeaseStore(sound) {
                @Override
                public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
                    end(lease, ttl);
                    return super.renew(lease, ttl);
                }
            };
        }
    }

    static final class AcquiresForLess extends Fixture {

        private final Set<String> owners = ConcurrentHashMap.newKeySet();

        @Override
        LeaseStore plant(LeaseStore sound) {
            return new ForwardingLeaseStore(sound) {
                @Override
                public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                    boolean repeated = !owners.add(request.owner());
                    return super.tryAcquire(request).thenApply(given -> {
                        given.filter(lease -> repeated).ifPresent(lease -> end(lease, request.ttl()));
                        return given;
                    });
                }
            };
        }
    }

    static final class ReleasesLate extends Fixture {
        @Override
        LeaseStore plant(LeaseStore sound) {
            return new ForwardingLeaseStore(sound) {
                @Override
                public CompletionStage<Boolean> release(Lease lease) {
                    return CompletableFuture.supplyAsync(
                                    () -> lease, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS))
                            .thenCompose(sound::release);
                }
            };
        }
    }
}
