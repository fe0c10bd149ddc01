package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The schedules notice what a store does wrong; {@code testkit/mutate} shows the same of the engine. */
class SimulationCanFailTest {

    private static final int SCHEDULES = 20_000;

    private static void assertNoticed(String bug, UnaryOperator<TicketQueue> queues) throws InterruptedException {
        assertStoreNoticed(bug, store -> new Buggy((InMemoryTicketStore) store, queues));
    }

    private static void assertStoreNoticed(String bug, UnaryOperator<TicketStore> stores) throws InterruptedException {
        Simulations all = new Simulations(stores, 1);
        all.run(0, SCHEDULES, Runtime.getRuntime().availableProcessors());

        assertThat(all.failed()).as(bug).isNotEmpty();
        String verdict = Simulations.verdict(all.failed().get(0), stores);
        System.out.println(bug + ": noticed after " + all.ran() + " schedules: " + verdict);
    }

    private static final class Buggy extends ForwardingTicketStore {

        private final UnaryOperator<TicketQueue> queues;

        Buggy(InMemoryTicketStore store, UnaryOperator<TicketQueue> queues) {
            super(store);
            this.queues = queues;
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return queues.apply(sound);
        }
    }

    @Test
    void schedules_watchIsNotCheckedOnceArmed_isNoticed() throws InterruptedException {
        assertNoticed("no check after a watch is armed", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
            @Override
            public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                CompletableFuture<Registration> armed = new CompletableFuture<>();
                // the watch is armed later, by the time that a check takes
                queue.tickets().whenComplete((there, failure) -> {
                    List<Ticket> living = there == null
                            ? List.copyOf(any)
                            : any.stream().filter(there::contains).toList();
                    armed.complete(living.isEmpty() ? Registration.NONE : queue.onDeparture(living, watcher));
                });
                return () -> armed.thenAccept(Registration::close);
            }
        });
    }

    @Test
    void schedules_removalIsByName_isNoticed() throws InterruptedException {
        assertNoticed(
                "removed by name instead of by ticket", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<Boolean> remove(Ticket ticket) {
                        return queue.tickets()
                                .thenCompose(all -> all.isEmpty()
                                        ? CompletableFuture.completedStage(false)
                                        : queue.remove(all.get(0)));
                    }
                });
    }

    @Test
    void schedules_oneAheadIsMissed_isNoticed() throws InterruptedException {
        assertNoticed("one ahead is not seen", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
            @Override
            public CompletionStage<Place> take(TicketRequest request) {
                return queue.take(request)
                        .thenApply(place -> new Place(
                                place.ticket(),
                                place.token(),
                                place.ahead().stream().skip(1).toList()));
            }
        });
    }

    @Test
    void schedules_theLivingAreHidden_isNoticed() throws InterruptedException {
        assertNoticed("the first of the living is hidden", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
            @Override
            public CompletionStage<List<Ticket>> tickets() {
                return queue.tickets().thenApply(all -> all.size() < 2 ? all : all.subList(1, all.size()));
            }
        });
    }

    @Test
    void schedules_newcomersAreNotAnnounced_isNoticed() throws InterruptedException {
        assertNoticed("newcomers are not announced", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
            @Override
            public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                return queue.alone(mine, () -> {});
            }
        });
    }

    @Test
    void schedules_tokensRestart_isNoticed() throws InterruptedException {
        assertNoticed("tokens restart", sound -> new ForwardingTicketStore.ForwardingQueue(sound) {
            @Override
            public CompletionStage<Place> take(TicketRequest request) {
                return queue.take(request)
                        .thenApply(place ->
                                new Place(place.ticket(), place.ticket().number() + 1, place.ahead()));
            }
        });
    }

    @Test
    void schedules_forgottenSessionsAreToldOfDepartures_isNoticed() throws InterruptedException {
        UnaryOperator<TicketStore> answering = store -> {
            ((InMemoryTicketStore) store).server().answerForgotten();
            return store;
        };
        Simulations all = new Simulations(answering, 8);
        all.run(0, SCHEDULES, Runtime.getRuntime().availableProcessors());

        System.out.println("who was forgotten is told of departures: noticed by " + all.failed());
        assertThat(all.failed().stream().map(seed -> Simulations.verdict(seed, answering)))
                .as("two are in at once")
                .anyMatch(verdict -> verdict.contains("are inside"));
    }

    @Test
    void schedules_sessionIsTrustedTooLong_isNoticed() throws InterruptedException {
        assertStoreNoticed(
                "a session is trusted too long", store -> new ForwardingTicketStore((InMemoryTicketStore) store) {
                    @Override
                    protected Session session(Session sound) {
                        return new ForwardingSession(sound) {
                            @Override
                            public Duration validity() {
                                return session.validity().multipliedBy(3);
                            }
                        };
                    }
                });
    }
}
