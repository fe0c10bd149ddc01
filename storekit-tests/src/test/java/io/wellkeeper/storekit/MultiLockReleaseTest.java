package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the members while they are released: if their watches cannot be taken back, or if one is lost. */
class MultiLockReleaseTest {

    private static final List<String> MEMBERS = List.of("a", "b", "c");

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(new FailingRegistrations());
    private final AtomicReference<Runnable> whenBIsGivenBack = new AtomicReference<>(() -> {});
    private final DistributedMultiLock lock = client.all("a", "b", "c");

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void close_watchesCannotBeTakenBack_allAreReleased() throws Exception {
        MultiLockHandle handle = lock.acquire();
        handle.onRevocationRequested((who, why) -> {});

        assertAllAreReleased(handle::close);
    }

    @Test
    void unlock_watchesCannotBeTakenBack_allAreReleased() {
        lock.lock();
        MEMBERS.forEach(member -> client.lock(member).onRevocationRequested((who, why) -> {}));

        assertAllAreReleased(lock::unlock);
    }

    @Test
    void close_oneIsLostWhileTheOthersAreReleased_isToldOnceAndThrown() throws Exception {
        AtomicInteger told = new AtomicInteger();
        MultiLockHandle handle = lock.acquire();
        handle.onLost(told::incrementAndGet);
        CompletableFuture<Void> lost = Await.loss(handle);
        whenBIsGivenBack.set(() -> client.admin().breakLock("a", "why"));

        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);

        assertThat(lost).succeedsWithin(Await.patience());
        assertThat(handle.isHeld()).isFalse();
        handle.close();
        Await.until("all are free", () -> MEMBERS.stream().allMatch(member -> server.queueLength(member) == 0));
        assertThat(told).hasValue(1);
    }

    private void assertAllAreReleased(ThrowingCallable release) {
        assertThatCode(release).doesNotThrowAnyException();
        for (String member : MEMBERS) {
            assertThat(client.lock(member).tryLock()).isTrue();
            client.lock(member).unlock();
        }
    }

    /** Watching a notice cannot be ended. */
    private final class FailingRegistrations extends ForwardingTicketStore {

        FailingRegistrations() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    if (name.equals("b")) {
                        whenBIsGivenBack.getAndSet(() -> {}).run();
                    }
                    return super.remove(ticket);
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    return () -> {
                        throw new IllegalStateException("no close of " + name);
                    };
                }
            };
        }
    }
}
