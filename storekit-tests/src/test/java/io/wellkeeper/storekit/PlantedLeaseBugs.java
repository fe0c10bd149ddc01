package io.wellkeeper.storekit;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Stores of leases that break one law each, as fixtures of the kit. */
final class PlantedLeaseBugs {

    private PlantedLeaseBugs() {}

    /** A server whose clients have the bug. */
    abstract static class Fixture extends InMemoryLeaseFixture {

        @Override
        public LeaseStore connect() {
            return plant(super.connect());
        }

        abstract LeaseStore plant(LeaseStore sound);

        static void end(LeaseStore store, Lease lease, Duration ttl) {
            CompletableFuture.delayedExecutor(ttl.toNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> store.release(lease));
        }
    }

    static final class RenewsForLess extends Fixture {
        @Override
        LeaseStore plant(LeaseStore sound) {
            return new ForwardingLeaseStore(sound) {
                @Override
                public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
                    end(sound, lease, ttl);
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
                        given.filter(lease -> repeated).ifPresent(lease -> end(sound, lease, request.ttl()));
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
