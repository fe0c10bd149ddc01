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
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
}
