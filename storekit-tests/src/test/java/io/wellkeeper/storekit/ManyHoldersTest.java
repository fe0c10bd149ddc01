package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockBreak;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What names many tickets in a notice, which has a limit. */
@Tag("full")
class ManyHoldersTest {

    private static final String NAME = "many";
    private static final int MANY = 10_000;

    private final InMemoryServer server = new InMemoryServer();
    private final List<LockClient> clients = new ArrayList<>();

    private LockClient client(String clientName) {
        LockClient client = LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder()
                        .clientName(clientName)
                        .sessionTimeout(Duration.ofSeconds(40))
                        .storeTimeout(Await.patience())
                        .build());
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
        server.close();
    }

    /** Many readers between two that are told what befalls them. */
    private List<LockHandle> holdAll() throws Exception {
        List<LockHandle> handles = new ArrayList<>();
        handles.add(client("first").readWriteLock(NAME).readLock().acquire());
        TicketQueue queue = Await.get(new InMemoryTicketStore(server)
                        .open(new SessionOptions("many", Duration.ofMinutes(1)), new Deaf()))
                .queue(NAME);
        for (int i = 0; i < MANY; i++) {
            queue.take(new TicketRequest("r" + i, Mode.SHARED, 1, ""));
        }
        handles.add(client("last").readWriteLock(NAME).readLock().acquire());
        return handles;
    }

    private static final class Deaf implements SessionListener {

        @Override
        public void suspect(String problem) {}

        @Override
        public void live() {}

        @Override
        public void lost() {}
    }

    @Test
    void breakLock_manyHolders_allAreGoneAndTheNextIsIn() throws Exception {
        List<LockHandle> handles = holdAll();
        LockClient breaking = client("breaking");
        CompletableFuture<LockHandle> next =
                client("next").readWriteLock(NAME).writeLock().acquireAsync();
        Await.until("a waiter", () -> server.queueLength(NAME) == MANY + 3);

        assertThat(breaking.admin().breakLock(NAME, "why")).hasSize(MANY + 2);

        assertThat(Await.get(next).isHeld()).isTrue();
        assertThat(server.queueLength(NAME)).isEqualTo(1);
        assertThat(breaking.admin().inspect(NAME).lastBreak())
                .map(LockBreak::by)
                .contains("breaking");
        for (LockHandle handle : handles) {
            Await.get(Await.loss(handle));
            await().untilAsserted(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(handle::checkHeld)
                    .withMessageContaining("'breaking' has broken the lock"));
        }
    }

    @Test
    void requestRevocation_manyHolders_firstAndLastAreTold() throws Exception {
        AtomicInteger told = new AtomicInteger();
        for (LockHandle handle : holdAll()) {
            handle.onRevocationRequested((who, why) -> told.incrementAndGet());
        }

        assertThat(client("asking").admin().requestRevocation(NAME, "why")).isEqualTo(MANY + 2);

        Await.until("two holders who have been told", () -> told.get() == 2);
    }

    @Test
    void barrier_manyParties_allGoOn() {
        LockClient a = client("a");
        LockClient b = client("b");
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int party = 0; party < MANY; party++) {
            waiting.add((party % 2 == 0 ? a : b).barrier(NAME, MANY).awaitAsync());
        }

        List<Integer> missing = waiting.stream().map(Await::get).sorted().toList();

        assertThat(missing).isEqualTo(IntStream.range(0, MANY).boxed().toList());
    }
}
