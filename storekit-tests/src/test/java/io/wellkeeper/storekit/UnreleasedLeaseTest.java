package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease has been given back, and the connection breaks with the release: until that is sent again, the store keeps it. */
class UnreleasedLeaseTest {

    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final ClientOptions options = ClientOptions.builder()
            .sessionTimeout(LONG)
            .storeTimeout(SHORT)
            .closeTimeout(Duration.ZERO)
            .time(time)
            .callbackExecutor(time.executor())
            .build();
    private int releasesToFail;
    private final LeaseClient client = LeaseClient.over(
            new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
                @Override
                public CompletionStage<Boolean> release(Lease lease) {
                    return releasesToFail-- > 0
                            ? CompletableFuture.failedFuture(new LockStoreException("the connection has broken"))
                            : super.release(lease);
                }
            },
            options);

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private void acquireAndGiveBack() {
        CompletableFuture<LockHandle> acquired = client.lock("a").acquireAsync();
        time.advance(SHORT);
        acquired.join().close();
    }

    @Test
    void tryAcquire_releaseIsToBeSentAgain_isNotRefusedForWhatThisClientHad() {
        releasesToFail = 3;
        acquireAndGiveBack();

        CompletableFuture<Optional<LockHandle>> again = client.lock("a").tryAcquireAsync(Duration.ZERO);
        time.advance(SHORT);

        assertThat(again.join()).isPresent();
    }

    @Test
    void tryAcquire_releaseFailsAgainAndAgain_isRefusedWhenTheStoreTimeoutIsOver() {
        releasesToFail = Integer.MAX_VALUE;
        acquireAndGiveBack();

        CompletableFuture<Optional<LockHandle>> again = client.lock("a").tryAcquireAsync(Duration.ZERO);
        time.advance(SHORT);

        assertThat(again.join()).isEmpty();
    }
}
