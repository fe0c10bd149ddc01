package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What many waiters of one client cost, each of which has a ticket that may be replaced by a milder one. */
class ManyWaitersTest {

    private static final String NAME = "many";
    private static final int WAITERS = 200;
    private static final int REQUESTS_PER_WAITER = 10;
    private static final Duration A_WHILE = Duration.ofSeconds(3);
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);
    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client() {
        return client(new InMemoryTicketStore(server));
    }

    private LockClient client(TicketStore store) {
        LockClient made = LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .sessionTimeout(RARE_BEATS)
                        .callbackExecutor(time.executor())
                        .build());
        time.advance(A_WHILE);
        return made;
    }

    @Test
    void acquireHandle_manyOfOneClient_eachCostsTheSame() {
        assertEachCostsTheSame(client -> client.semaphore(NAME, 2).acquireHandleAsync(2));
    }

    @Test
    void writeLock_manyNumbersOfOneClient_eachCostsTheSame() {
        assertEachCostsTheSame(
                client -> client.readWriteLock(NAME, OWN_NUMBERS).writeLock().acquireAsync());
    }

    @Test
    void close_holderAndManyWhoWait_nobodyIsLetInOnTheWay() {
        AtomicLong deepest = new AtomicLong();
        LockClient client = client(new ForwardingTicketStore(new InMemoryTicketStore(server)) {
            @Override
            TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<Boolean> remove(Ticket ticket) {
                        deepest.accumulateAndGet(StackWalker.getInstance().walk(Stream::count), Math::max);
                        return super.remove(ticket);
                    }
                };
            }
        });
        for (int i = 0; i < WAITERS; i++) {
            client.lock(NAME, OWN_NUMBERS).acquireAsync();
        }
        time.advance(A_WHILE);
        long depth = StackWalker.getInstance().walk(Stream::count);

        client.close();

        assertThat(deepest.get() - depth).isLessThan(WAITERS);
    }

    private void assertEachCostsTheSame(Function<LockClient, CompletableFuture<LockHandle>> acquire) {
        CompletableFuture<LockHandle> held = acquire.apply(client());
        time.advance(A_WHILE);
        LockClient client = client();
        List<CompletableFuture<Void>> visits = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            visits.add(acquire.apply(client).thenAccept(LockHandle::close));
        }
        time.advance(A_WHILE);
        int before = server.requests();

        held.join().close();
        time.advance(A_WHILE);

        assertThat(visits).allSatisfy(visit -> assertThat(visit).isCompleted());
        assertThat(server.requests() - before).isLessThan(WAITERS * REQUESTS_PER_WAITER);
    }
}
