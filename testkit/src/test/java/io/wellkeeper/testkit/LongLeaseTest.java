package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.SimpleLockClient;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that nobody renews, of a store that does not vouch for so long a time at once. */
class LongLeaseTest {

    private static final Duration LENGTH = Duration.ofMinutes(2);
    private static final Duration VALIDITY = Duration.ofSeconds(5);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryLeaseStore store = new InMemoryLeaseStore(server);
    private final SimpleLockClient client = SimpleLockClient.over(
            new Cautious(store),
            ClientOptions.builder().time(time).callbackExecutor(time.executor()).build());

    /** Vouches for no more than {@link #VALIDITY}. */
    private static final class Cautious extends ForwardingLeaseStore {

        Cautious(LeaseStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
            return super.tryAcquire(request)
                    .thenApply(given ->
                            given.map(lease -> new Lease(lease.name(), lease.owner(), lease.token(), VALIDITY)));
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private LockHandle acquire() {
        LockOptions once = LockOptions.builder().leaseWithoutRenewal(LENGTH).build();
        CompletableFuture<LockHandle> acquired = client.lock("long", once).acquireAsync();
        time.advance(Duration.ZERO);
        return acquired.join();
    }

    @Test
    void lease_storeVouchesForAPartOfItAtOnce_lastsUntilItsEndAndNotLonger() {
        LockHandle handle = acquire();

        time.advance(LENGTH.multipliedBy(9).dividedBy(10));
        assertThat(handle.isHeld()).isTrue();
        assertThat(handle.remaining()).isLessThanOrEqualTo(VALIDITY);

        time.advance(LENGTH.dividedBy(10));
        assertThat(handle.isHeld()).isFalse();
        time.advance(LENGTH);
        assertThat(server.leftovers()).isEmpty();
    }

    @Test
    void lease_storeIsNotHeardOfAnyMore_isOverWhenNobodyVouchesForIt() {
        LockHandle handle = acquire();
        time.advance(LENGTH.dividedBy(2));
        store.cut();

        time.advance(VALIDITY);

        assertThat(handle.isHeld()).isFalse();
    }
}
