package io.wellkeeper.storekit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stores that break one law each, as fixtures of the kits. */
final class PlantedTicketBugs {

    private PlantedTicketBugs() {}

    /** A server whose clients have the bug. */
    abstract static class Fixture extends InMemoryTicketFixture {

        @Override
        public TicketStore connect() {
            return new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                @Override
                protected Session session(Session sound) {
                    return plant(new ForwardingSession(sound), this);
                }

                @Override
                protected TicketQueue queue(TicketQueue sound, String name) {
                    return plant(sound);
                }
            };
        }

        TicketQueue plant(TicketQueue sound) {
            return sound;
        }

        Session plant(ForwardingTicketStore.ForwardingSession sound, ForwardingTicketStore store) {
            return sound;
        }

        private static InMemoryTicketStore inner(TicketStore store) {
            return ((ForwardingTicketStore) store).store();
        }

        @Override
        public void expire(TicketStore store, Session session) {
            super.expire(inner(store), session);
        }

        @Override
        public void cut(TicketStore store) {
            super.cut(inner(store));
        }

        @Override
        public void mend(TicketStore store) {
            super.mend(inner(store));
        }
    }

    /** Whatever it does not know any more has departed. */
    static final class TakesTheForgottenForDeparted extends Fixture {
        private final List<InMemoryTicketStore> stores = new CopyOnWriteArrayList<>();

        @Override
        public TicketStore connect() {
            ForwardingTicketStore made = (ForwardingTicketStore) super.connect();
            stores.add(made.store());
            return made;
        }

        @Override
        public void loseData() {
            stores.forEach(InMemoryTicketStore::expireSessions);
        }
    }

    static final class TokenRestarts extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return queue.take(request)
                            .thenApply(place ->
                                    new Place(place.ticket(), place.ticket().number() + 1, place.ahead()));
                }
            };
        }
    }

    static final class TakeMissesOneAhead extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return queue.take(request)
                            .thenApply(place -> new Place(
                                    place.ticket(),
                                    place.token(),
                                    place.ahead().stream().skip(1).toList()));
                }
            };
        }
    }

    static final class TakesTwiceWhenReplyIsLost extends Fixture {
        private final AtomicBoolean lost = new AtomicBoolean();

        @Override
        public void loseNextReplyOfTake() {
            lost.set(true);
        }

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    if (lost.compareAndSet(true, false)) {
                        queue.take(request);
                        return queue.take(new TicketRequest(request.id() + "again", request.mode(), 1, ""));
                    }
                    return queue.take(request);
                }
            };
        }
    }

    static final class HidesTheLiving extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return queue.tickets().thenApply(all -> all.size() < 2 ? all : all.subList(1, all.size()));
                }
            };
        }
    }

    static final class ChecksBeforeItArms extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    AtomicBoolean armed = new AtomicBoolean();
                    Registration registration = queue.onDeparture(any, new DepartureWatcher() {
                        @Override
                        public void departed(Ticket ticket) {
                            if (armed.get()) {
                                watcher.departed(ticket);
                            }
                        }

                        @Override
                        public void changed() {
                            watcher.changed();
                        }
                    });
                    queue.tickets().thenRun(() -> armed.set(true));
                    return registration;
                }
            };
        }
    }

    static final class ForgetsToDisarm extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    queue.onDeparture(any, watcher);
                    return Registration.NONE;
                }
            };
        }
    }

    static final class CallsTheLivingDeparted extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    any.forEach(watcher::departed);
                    return queue.onDeparture(any, watcher);
                }
            };
        }
    }

    static final class RemovesByName extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return queue.tickets()
                            .thenCompose(all ->
                                    all.isEmpty() ? CompletableFuture.completedStage(false) : queue.remove(all.get(0)));
                }
            };
        }
    }

    static final class RemovesLater extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return queue.tickets().thenCompose(all -> queue.remove(ticket));
                }
            };
        }
    }

    static final class SendsEveryOtherTakeLater extends Fixture {
        private final AtomicBoolean later = new AtomicBoolean();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    boolean now = !later.getAndSet(!later.get());
                    return now ? queue.take(request) : queue.tickets().thenCompose(all -> queue.take(request));
                }
            };
        }
    }

    static final class AlwaysClaimsToHaveRemoved extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return queue.remove(ticket).thenApply(removed -> true);
                }
            };
        }
    }

    static final class NeverTellsOfNewcomers extends Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                    return queue.alone(mine, () -> {});
                }
            };
        }
    }

    static final class TrustsItsSessionTooLong extends Fixture {
        @Override
        Session plant(ForwardingTicketStore.ForwardingSession sound, ForwardingTicketStore store) {
            return store.new ForwardingSession(sound.session()) {
                @Override
                public Duration validity() {
                    return session.validity().multipliedBy(3);
                }
            };
        }
    }

    static final class HeartbeatProvesNothing extends Fixture {
        @Override
        Session plant(ForwardingTicketStore.ForwardingSession sound, ForwardingTicketStore store) {
            return store.new ForwardingSession(sound.session()) {
                @Override
                public CompletionStage<Void> heartbeat() {
                    return CompletableFuture.completedStage(null);
                }
            };
        }
    }

    static final class IgnoresCaseOfNames extends Fixture {
        @Override
        Session plant(ForwardingTicketStore.ForwardingSession sound, ForwardingTicketStore store) {
            return store.new ForwardingSession(sound.session()) {
                @Override
                public TicketQueue queue(String name) {
                    return session.queue(name.toLowerCase(Locale.ROOT));
                }
            };
        }
    }
}
