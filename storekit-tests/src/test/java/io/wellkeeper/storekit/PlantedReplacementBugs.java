package io.wellkeeper.storekit;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Stores that break what is said of {@code replace} and {@code describe}, as fixtures of the kits. */
final class PlantedReplacementBugs {

    private PlantedReplacementBugs() {}

    static final class QueuesUpAnew extends PlantedTicketBugs.Fixture {
        private final AtomicInteger requests = new AtomicInteger();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    String id = "anew" + requests.incrementAndGet();
                    return queue.take(new TicketRequest(id, mode, permits, "written"))
                            .thenCompose(place -> queue.remove(mine).thenApply(removed -> place.ticket()));
                }
            };
        }
    }

    static final class KeepsTheOldTicket extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    return CompletableFuture.completedStage(mine);
                }
            };
        }
    }

    static final class ShowsNeitherMeanwhile extends PlantedTicketBugs.Fixture {
        private final Set<Ticket> underWay = ConcurrentHashMap.newKeySet();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    underWay.add(mine);
                    return queue.tickets()
                            .thenCompose(seen -> queue.tickets())
                            .thenCompose(seen -> queue.replace(mine, mode, permits));
                }

                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return queue.tickets()
                            .thenApply(all -> all.stream()
                                    .filter(ticket -> !underWay.contains(ticket))
                                    .toList());
                }
            };
        }
    }

    static final class TellsNobodyOfTheOldOne extends PlantedTicketBugs.Fixture {
        private final Set<Ticket> replaced = ConcurrentHashMap.newKeySet();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    replaced.add(mine);
                    return queue.replace(mine, mode, permits);
                }

                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    return queue.onDeparture(any, new DepartureWatcher() {
                        @Override
                        public void departed(Ticket ticket) {
                            if (!replaced.contains(ticket)) {
                                watcher.departed(ticket);
                            }
                        }

                        @Override
                        public void changed() {
                            watcher.changed();
                        }
                    });
                }
            };
        }
    }

    static final class ForgetsMetadata extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    return queue.replace(mine, mode, permits)
                            .thenCompose(milder -> queue.describe(milder, "").thenApply(done -> milder));
                }
            };
        }
    }

    static final class ReplacesWhatIsGone extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    return queue.replace(mine, mode, permits).exceptionally(gone -> mine);
                }
            };
        }
    }

    static final class GivesUpWhenReplyIsLost extends PlantedTicketBugs.Fixture {
        private final AtomicBoolean lost = new AtomicBoolean();

        @Override
        public void loseNextReplyOfReplace() {
            lost.set(true);
        }

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    CompletionStage<Ticket> replaced = queue.replace(mine, mode, permits);
                    return lost.compareAndSet(true, false)
                            ? CompletableFuture.failedStage(new LockStoreException("the reply was lost"))
                            : replaced;
                }
            };
        }
    }

    static final class ForgetsWhoWaitsForNewcomers extends PlantedTicketBugs.Fixture {
        private final Set<Ticket> replaced = ConcurrentHashMap.newKeySet();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    replaced.add(mine);
                    return queue.replace(mine, mode, permits);
                }

                @Override
                public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                    return queue.alone(mine, () -> {
                        if (!replaced.contains(mine)) {
                            arrived.run();
                        }
                    });
                }
            };
        }
    }

    static final class DescribesNothing extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Void> describe(Ticket mine, String metadata) {
                    return queue.describe(mine, "written");
                }
            };
        }
    }

    static final class CannotDescribeTheGone extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Void> describe(Ticket mine, String metadata) {
                    return queue.tickets()
                            .thenCompose(all -> all.contains(mine)
                                    ? queue.describe(mine, metadata)
                                    : CompletableFuture.failedStage(new LockStoreException(mine + " is gone")));
                }
            };
        }
    }
}
