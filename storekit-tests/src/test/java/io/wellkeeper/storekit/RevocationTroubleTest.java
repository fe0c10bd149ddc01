package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
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
    private final AtomicInteger unwatchable = new AtomicInteger(); // so often
    private final AtomicReference<Runnable> change = new AtomicReference<>();
    private final AtomicReference<Runnable> afterNextRequest = new AtomicReference<>(() -> {});

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onRevocationRequested_noticeChangesOftenAndCannotBeRead_isNotReadEverMoreOften(boolean refused) {
        LockClient client = client(new TroubledReads());
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
        close(client);
        server.close();
    }

    /** Of the second of two threads, to whom the first has handed its ticket over. */
    private LockHandle handedOver(LockClient client) {
        CompletableFuture<LockHandle> first = client.lock(NAME).acquireAsync();
        CompletableFuture<LockHandle> second = client.lock(NAME).acquireAsync();
        time.runUntilIdle();
        first.join().close();
        time.runUntilIdle();
        return second.join();
    }

    /** The first of two threads may have been meant by what was asked before; by what is asked now it is the second. */
    @Test
    void onRevocationRequested_firstReadFailsAndSomebodyAsksMeanwhile_isTold() {
        List<String> told = new ArrayList<>();
        LockClient client = client(new TroubledReads());
        LockClient asking = client(new InMemoryTicketStore(server));
        time.advance(Duration.ofSeconds(1));
        LockHandle second = handedOver(client);
        trouble.set(new LockStoreException("not now"));
        second.onRevocationRequested((who, reason) -> told.add(reason));
        assertThat(time.call(() -> asking.admin().requestRevocation(NAME, "now")))
                .isEqualTo(1);

        trouble.set(null);
        time.advance(LONG);

        assertThat(told).containsExactly("now");
        close(asking);
        close(client);
        server.close();
    }

    /** Nothing keeps the two requests together by which a store is told that somebody listens. */
    @Test
    void onRevocationRequested_askedRightAfterTheStoreHasHeardOfIt_isTold() {
        List<String> told = new ArrayList<>();
        LockClient client = client(new TroubledReads());
        LockClient asking = client(new InMemoryTicketStore(server));
        time.advance(Duration.ofSeconds(1));
        LockHandle second = handedOver(client);
        afterNextRequest.set(() -> {
            time.runUntilIdle();
            assertThat(time.call(() -> asking.admin().requestRevocation(NAME, "now")))
                    .isEqualTo(1);
        });

        second.onRevocationRequested((who, reason) -> told.add(reason));

        time.advance(LONG);
        assertThat(told).containsExactly("now");
        close(asking);
        close(client);
        server.close();
    }

    @Test
    void onRevocationRequested_storeCannotWatchForAMoment_isToldLater() {
        List<String> told = new ArrayList<>();
        LockClient client = client(new TroubledReads());
        LockClient asking = client(new InMemoryTicketStore(server));
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
        time.runUntilIdle();
        unwatchable.set(3);
        acquired.join().onRevocationRequested((who, reason) -> told.add(reason));
        time.advance(LONG);

        assertThat(time.call(() -> asking.admin().requestRevocation(NAME, "now")))
                .isEqualTo(1);
        time.advance(Duration.ofSeconds(1));

        assertThat(unwatchable.get()).isNegative();
        assertThat(told).containsExactly("now");
        close(asking);
        close(client);
        server.close();
    }

    private void close(LockClient client) {
        time.call(() -> {
            client.close();
            return true;
        });
    }

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
    }

    private final class TroubledReads extends ForwardingTicketStore {

        TroubledReads() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    reads.incrementAndGet();
                    LockStoreException failure = trouble.get();
                    CompletionStage<Notice> read =
                            failure == null ? super.notice() : CompletableFuture.failedFuture(failure);
                    afterNextRequest.getAndSet(() -> {}).run();
                    return read;
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    if (unwatchable.getAndDecrement() > 0) {
                        throw new NoClassDefFoundError("driver");
                    }
                    change.set(changed);
                    Registration watch = super.onNotice(changed);
                    afterNextRequest.getAndSet(() -> {}).run();
                    return watch;
                }
            };
        }
    }
}
