package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that throws when it is asked for its address costs nobody more than a message that says where it is. */
class UnknownAddressTest {

    private static final Duration A_WHILE = Duration.ofSeconds(30);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicBoolean known = new AtomicBoolean(true);

    @AfterEach
    void close() {
        server.close();
    }

    private ClientOptions options() {
        return ClientOptions.builder()
                .time(time)
                .callbackExecutor(time.executor())
                .closeTimeout(Duration.ZERO)
                .build();
    }

    private String address(String address) {
        if (!known.get()) {
            throw new IllegalStateException("nobody knows");
        }
        return address;
    }

    private ForwardingTicketStore store(InMemoryTicketStore connection) {
        return new ForwardingTicketStore(connection) {
            @Override
            public String address() {
                return UnknownAddressTest.this.address(super.address());
            }
        };
    }

    @Test
    void lock_sessionEnds_lossIsToldAndAnotherSessionBegins() {
        InMemoryTicketStore connection = new InMemoryTicketStore(server);
        try (LockClient client = LockClient.over(store(connection), options())) {
            CompletableFuture<LockHandle> held = client.lock("a").acquireAsync();
            time.advance(A_WHILE);
            CompletableFuture<Void> loss = Await.loss(held.join());
            known.set(false);

            connection.expireSessions();
            time.advance(A_WHILE);

            assertThat(loss).isCompleted();
            CompletableFuture<LockHandle> next = client.lock("a").acquireAsync();
            time.advance(A_WHILE);
            assertThat(next).isCompletedWithValueMatching(LockHandle::isHeld);
        }
    }

    @Test
    void lock_serverIsSilent_lossIsTold() {
        InMemoryTicketStore connection = new InMemoryTicketStore(server);
        try (LockClient client = LockClient.over(store(connection), options())) {
            CompletableFuture<LockHandle> held = client.lock("a").acquireAsync();
            time.advance(A_WHILE);
            CompletableFuture<Void> loss = Await.loss(held.join());
            known.set(false);

            server.freeze();
            time.advance(A_WHILE);

            assertThat(loss).isCompleted();
        }
    }

    /** A part is asked for its address when its first lock is used. */
    @Test
    void lock_ofAPart_isAcquired() {
        TicketStore part = store(new InMemoryTicketStore(server));
        ForwardingTicketStore whole = new ForwardingTicketStore(new InMemoryTicketStore(server)) {
            @Override
            public TicketStore shard(String name) {
                return name.equals("a") ? part : this;
            }
        };
        try (LockClient client = LockClient.over(whole, options())) {
            known.set(false);

            CompletableFuture<LockHandle> acquired = client.lock("a").acquireAsync();
            time.advance(A_WHILE);

            assertThat(acquired).isCompletedWithValueMatching(LockHandle::isHeld);
        }
    }

    @Test
    void lease_isRefused_callEnds() {
        ForwardingLeaseStore refusing = new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
            @Override
            public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                return CompletableFuture.failedFuture(new StoreRefusalException("no more of them"));
            }

            @Override
            public String address() {
                return UnknownAddressTest.this.address(super.address());
            }
        };
        try (LeaseClient client = LeaseClient.over(refusing, options())) {
            known.set(false);

            CompletableFuture<LockHandle> acquired = client.lock("a").acquireAsync();
            time.advance(A_WHILE);

            assertThat(acquired)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LockStoreException.class)
                    .withMessageContaining("no more of them");
        }
    }
}
