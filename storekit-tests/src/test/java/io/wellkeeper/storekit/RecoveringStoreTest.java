package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that answers, and lets no session begin for a while. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecoveringStoreTest {

    private static final Duration STEP = Duration.ofSeconds(2);

    private final Troubles troubles = new Troubles();
    private final InMemoryServer server = new InMemoryServer();
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    /**
     * A client that connects.
     *
     * @param steps how often the store asks for time
     * @param last what it fails with then, if it is not null
     */
    private LockClient connect(int steps, LockStoreException last) {
        ForwardingTicketStore store = new ForwardingTicketStore(new InMemoryTicketStore(server)) {
            @Override
            public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
                int left = steps - asked.getAndIncrement();
                if (left > 0) {
                    return CompletableFuture.failedFuture(
                            new StoreRecoveringException("it takes " + left + " times " + STEP, STEP));
                }
                return last == null ? super.open(options, listener) : CompletableFuture.failedFuture(last);
            }
        };
        return LockClient.over(
                store, troubles.options().storeTimeout(STEP.dividedBy(2)).build());
    }

    @Test
    void connect_storeOnlyWantsTime_waitsForItLongerThanTheStoreTimeoutWithOneWarning() throws Exception {
        long begun = System.nanoTime();
        try (LockClient client = connect(2, null)) {
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(STEP.multipliedBy(2));
            assertThat(asked).hasValue(3); // not before it is worth it
            assertThat(troubles.warnings()).singleElement().asString().contains("it takes 2 times " + STEP);
            client.lock("l").acquire().close();
        }
    }

    @Test
    void connect_storeWantedTimeAndIsGone_fails() {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> connect(1, new LockStoreException("it is gone")))
                .withMessageContaining("it is gone");
    }

    /** As one that has computed what is left of a time that is just over. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void connect_storeWantsNoTime_isAskedAgainAfterPauses(int millis) {
        SimulatedTime time = new SimulatedTime();
        try (InMemoryServer simulated = new InMemoryServer(time)) {
            ForwardingTicketStore store = new ForwardingTicketStore(new InMemoryTicketStore(simulated)) {
                @Override
                public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
                    asked.incrementAndGet();
                    return CompletableFuture.failedFuture(
                            new StoreRecoveringException("no more time", Duration.ofMillis(millis)));
                }
            };
            try (LockClient client = LockClient.over(
                    store,
                    troubles.options().time(time).closeTimeout(Duration.ZERO).build())) {
                time.advance(Duration.ofSeconds(10));

                assertThat(asked).hasValueBetween(10, 100);
            }
        }
    }
}
