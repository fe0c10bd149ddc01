package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One waiter is told of a departure when another of the same client has been let in by it, and gives back. */
class LateDepartureTest {

    private static final String NAME = "told-late";

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final Deque<Runnable> late = new ArrayDeque<>(); // told when the next ticket is given back

    @AfterEach
    void close() {
        server.close();
    }

    /** The own predecessor is known to be given back, and that nobody is ahead of it any more. */
    @Test
    void acquire_ownGivesBackWhileTheDepartureIsTold_entersWithoutAQuestion() {
        LockClient others = client(new InMemoryTicketStore(server));
        LockClient own = client(new Late());
        List<CompletableFuture<LockHandle>> line =
                Stream.of(others, others, own, own).map(this::queue).toList();
        leave(line.get(0));
        leave(line.get(1));
        assertThat(late).as("what the last one has not been told yet").hasSize(1);

        leave(line.get(2));

        assertThat(late).isEmpty();
        assertThat(server.requests(Request.TICKETS)).isZero();
        assertThat(line.get(3)).isCompleted();
    }

    private CompletableFuture<LockHandle> queue(LockClient client) {
        CompletableFuture<LockHandle> acquired =
                client.lock(NAME).acquireAsync().toCompletableFuture();
        time.runUntilIdle();
        return acquired;
    }

    private void leave(CompletableFuture<LockHandle> acquired) {
        acquired.join().close();
        time.runUntilIdle();
    }

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .lockDefaults(LockOptions.builder().handOvers(0).build())
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
    }

    /** Tells each departure to the first of those who watch it, and to the others while a ticket is given back. */
    private final class Late extends ForwardingTicketStore {

        private final Set<Ticket> told = new HashSet<>();

        Late() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    return super.onDeparture(any, new DepartureWatcher() {
                        @Override
                        public void departed(Ticket ticket) {
                            if (told.add(ticket)) {
                                watcher.departed(ticket);
                            } else {
                                late.add(() -> watcher.departed(ticket));
                            }
                        }

                        @Override
                        public void changed() {
                            watcher.changed();
                        }
                    });
                }

                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    while (!late.isEmpty()) {
                        late.remove().run();
                    }
                    return super.remove(ticket);
                }
            };
        }
    }
}
