package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stranger takes a ticket away by hand while its owner waits. */
class RemovedWaiterTest {

    private static final String NAME = "taken-away";

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void wait_ownTicketIsTakenAway_takesAnotherAtOnce() {
        CompletableFuture<LockHandle> held = queue(new InMemoryTicketStore(server));
        CompletableFuture<LockHandle> waiter = queue(new InMemoryTicketStore(server));
        List<Ticket> before = server.tickets(NAME);

        server.removeTicket(NAME, 1);
        time.runUntilIdle();

        assertThat(server.tickets(NAME)).hasSize(2).startsWith(before.get(0)).doesNotContain(before.get(1));
        held.join().close();
        time.runUntilIdle();
        assertThat(waiter.join().isHeld()).isTrue();
    }

    /** Of its own ticket it is told first: so it is not let in by the other's departure, only to lose the lock at once. */
    @Test
    void wait_ownTicketAndTheOneAheadWentBeforeTheyWereWatched_isLetInWithAnother() {
        queue(new InMemoryTicketStore(server));

        LockHandle handle = queue(new Emptied()).join();

        assertThat(handle.isHeld()).isTrue();
        assertThat(server.queueLength(NAME)).isEqualTo(1);
    }

    /** There are more permits since, so the notice lets it in; but it is not asked for the ticket. */
    @Test
    void acquire_ownTicketWentBeforeTheNoticeChanged_isLetInWithAnother() {
        client(new InMemoryTicketStore(server)).semaphore(NAME, 1).acquireAsync(1);
        time.runUntilIdle();

        CompletableFuture<Permits> acquired =
                client(new Resized()).semaphore(NAME, 1).acquireAsync(1);
        time.runUntilIdle();

        assertThat(acquired.join().isHeld()).isTrue();
        assertThat(server.tickets(NAME)).hasSize(2);
    }

    private CompletableFuture<LockHandle> queue(TicketStore store) {
        CompletableFuture<LockHandle> acquired = client(store).lock(NAME).acquireAsync();
        time.runUntilIdle();
        return acquired;
    }

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
    }

    /** Just before somebody watches the notice, his ticket is taken away, and there are two permits where there was one. */
    private final class Resized extends ForwardingTicketStore {

        Resized() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                private Notice last = new Notice("", 0);

                @Override
                public CompletionStage<Notice> notice() {
                    return sound.notice().whenComplete((notice, never) -> last = notice);
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    server.removeTicket(name, 1);
                    sound.post(last, last.text().replace("size=1", "size=2"));
                    return super.onNotice(changed);
                }
            };
        }
    }

    /** The queue is emptied just before somebody watches it. */
    private final class Emptied extends ForwardingTicketStore {

        Emptied() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    while (server.queueLength(name) > 0) {
                        server.removeTicket(name, 0);
                    }
                    return super.onDeparture(any, watcher);
                }
            };
        }
    }
}
