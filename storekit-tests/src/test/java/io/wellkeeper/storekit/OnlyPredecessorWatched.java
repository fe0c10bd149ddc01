package io.wellkeeper.storekit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Clients who hear of the departure of whoever stands just ahead of them, and of nobody else's. */
final class OnlyPredecessorWatched extends InMemoryLockFixture {

    @Override
    TicketStore wrap(InMemoryTicketStore store) {
        return new ForwardingTicketStore(store) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new Queue(sound);
            }
        };
    }

    private static final class Queue extends ForwardingTicketStore.ForwardingQueue {

        private volatile List<Ticket> unwatched = List.of();

        Queue(TicketQueue sound) {
            super(sound);
        }

        @Override
        public CompletionStage<Place> take(TicketRequest request) {
            return queue.take(request).thenApply(place -> {
                List<Ticket> ahead = place.ahead();
                unwatched = ahead.isEmpty() ? ahead : ahead.subList(0, ahead.size() - 1);
                return place;
            });
        }

        @Override
        public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
            List<Ticket> watched =
                    any.stream().filter(ticket -> !unwatched.contains(ticket)).toList();
            return watched.isEmpty() ? Registration.NONE : queue.onDeparture(watched, watcher);
        }
    }
}
