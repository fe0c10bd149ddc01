package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever listens for requests to give a lock up does not ask a store in trouble ever more often. */
class RevocationTroubleTest {

    private static final String NAME = "revocation";
    private static final int CHANGES = 50;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicReference<LockStoreException> trouble = new AtomicReference<>();
    private final AtomicReference<Runnable> change = new AtomicReference<>();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onRevocationRequested_noticeChangesOftenAndCannotBeRead_isNotReadEverMoreOften(boolean refused) {
        LockClient client = LockClient.over(
                new TroubledReads(),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
        CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
        time.advance(Duration.ofSeconds(1));
        acquired.join().onRevocationRequested((who, reason) -> {});
        time.advance(Duration.ofSeconds(1));
        trouble.set(refused ? new StoreRefusalException("not allowed") : new LockStoreException("not now"));
        for (int i = 0; i < CHANGES; i++) {
            change.get().run();
            time.advance(Duration.ofMillis(7));
        }

        int before = reads.get();
        time.advance(LONG);

        assertThat(reads.get() - before).isLessThan(100);
        trouble.set(null);
        client.close();
        server.close();
    }

    private final class TroubledReads extends ForwardingTicketStore {

        TroubledReads() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    reads.incrementAndGet();
                    LockStoreException failure = trouble.get();
                    return failure == null ? super.notice() : CompletableFuture.failedFuture(failure);
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    change.set(changed);
                    return super.onNotice(changed);
                }
            };
        }
    }
}
