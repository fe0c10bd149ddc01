package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store that is slow, or out of order, makes of requests to give a lock up. */
class RevocationTest {

    private static final String NAME = "revocation";

    private final InMemoryServer server = new InMemoryServer();
    private final AtomicInteger readsToFail = new AtomicInteger();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private LockClient holding;
    private LockClient asking;
    private LockHandle handle;

    @BeforeEach
    void holdTheLock() throws Exception {
        holding = LockClient.over(new FailingReads());
        asking = LockClient.over(new InMemoryTicketStore(server));
        handle = holding.lock(NAME).acquire();
    }

    @AfterEach
    void close() {
        holding.close();
        asking.close();
        server.close();
    }

    @Test
    void requestRevocation_noticeCannotBeRead_isToldOnceItCan() {
        handle.onRevocationRequested((who, reason) -> told.add(reason));
        readsToFail.set(3);

        asking.admin().requestRevocation(NAME, "why");

        Await.until(() -> "a request; told: " + told, () -> told.size() == 1);
        assertThat(readsToFail).hasValue(0);
    }

    @Test
    void onRevocationRequested_askedManyTimesBefore_tellsTheLastOnesInTheirOrder() {
        List<String> last = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            asking.admin().requestRevocation(NAME, "why " + i);
            if (i >= 24) {
                last.add("why " + i);
            }
        }

        handle.onRevocationRequested((who, reason) -> told.add(reason));

        Await.until(() -> "16 requests; told: " + told, () -> told.size() == 16);
        assertThat(told).isEqualTo(last);
    }

    @Test
    void onRevocationRequested_reasonsLongerThanANotice_tellsTheLastOnes() {
        for (int i = 0; i < 8; i++) {
            asking.admin().requestRevocation(NAME, "\u9501".repeat(1023) + i); // of three bytes each
        }

        handle.onRevocationRequested((who, reason) -> told.add(reason.substring(1023)));

        Await.until(() -> told.size() + " told", () -> told.size() == 5);
        assertThat(told).containsExactly("3", "4", "5", "6", "7");
    }

    @Test
    void requestRevocation_noticeIsFullOfWhatWasBroken_isToldAllTheSame() throws Exception {
        String longest = "\u9501".repeat(1024); // of three bytes each
        String full = NAME + "/full";
        LockOptions eachItsTicket = LockOptions.builder().handOvers(0).build();
        List<CompletableFuture<LockHandle>> successors = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            successors.add(holding.lock(full, eachItsTicket).acquireAsync());
        }
        Await.until("all in the queue", () -> server.queueLength(full) == 7);
        for (CompletableFuture<LockHandle> successor : successors) {
            LockHandle last = Await.get(successor);
            if (server.queueLength(full) > 1) {
                asking.admin().breakLock(full, longest);
            } else {
                last.onRevocationRequested((who, reason) -> told.add(reason));
            }
        }

        assertThat(asking.admin().requestRevocation(full, longest)).isOne();

        Await.until("the request", () -> told.equals(List.of(longest)));
    }

    @Test
    void requestRevocation_nextHolderIsAskedBetweenTheLookAndThePostOfAnother_isTold() throws Exception {
        SlowLooks slow = new SlowLooks();
        try (LockClient next = LockClient.over(new InMemoryTicketStore(server));
                LockClient slowlyAsking = LockClient.over(slow);
                Actor actor = new Actor()) {
            Future<?> slowly = actor.begin(() -> slowlyAsking.admin().requestRevocation(NAME, "whoever it was before"));
            Await.get(slow.looked);
            CompletableFuture<LockHandle> waiting = next.lock(NAME).acquireAsync();
            Await.until("two in the queue", () -> server.queueLength(NAME) == 2);
            handle.close();
            LockHandle now = Await.get(waiting);
            assertThat(asking.admin().requestRevocation(NAME, "urgent")).isOne();

            slow.goOn.complete(null);
            Await.result(slowly);
            now.onRevocationRequested((who, reason) -> told.add(reason));

            Await.until(() -> "the request; told: " + told, () -> told.contains("urgent"));
        }
    }

    /** It shows who is in the queue, and the answer comes later. */
    private final class SlowLooks extends ForwardingTicketStore {

        private final CompletableFuture<Void> looked = new CompletableFuture<>();
        private final CompletableFuture<Void> goOn = new CompletableFuture<>();

        SlowLooks() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return super.tickets()
                            .whenComplete((seen, failure) -> looked.complete(null))
                            .thenCombine(goOn, (seen, now) -> seen);
                }
            };
        }
    }

    private final class FailingReads extends ForwardingTicketStore {

        FailingReads() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    return readsToFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                            ? CompletableFuture.failedFuture(new LockStoreException("no answer"))
                            : super.notice();
                }
            };
        }
    }
}
