package io.wellkeeper.storekit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Stores that break what is said of notices, as fixtures of the kits. */
final class PlantedNoticeBugs {

    private PlantedNoticeBugs() {}

    static final class LastWriterWins extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.notice().thenCompose(now -> queue.post(now, text));
                }
            };
        }
    }

    /** The version is the same again when the text is. */
    static final class ComparesTexts extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.notice()
                            .thenCompose(now -> now.text().equals(seen.text())
                                    ? queue.post(now, text)
                                    : CompletableFuture.completedStage(false));
                }
            };
        }
    }

    /** Where there is no notice, the version is always the same. */
    static final class NothingIsAlwaysTheSame extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    return queue.notice().thenApply(now -> now.text().isEmpty() ? new Notice("", 0) : now);
                }

                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.notice()
                            .thenCompose(
                                    now -> now.text().isEmpty() && seen.text().isEmpty()
                                            ? queue.post(now, text)
                                            : queue.post(seen, text));
                }
            };
        }
    }

    /** A notice is read at once, while a take waits for its turn: until some others have been put up. */
    static final class ReadsAhead extends PlantedTicketBugs.Fixture {
        private static final int SOME = 3;

        private final AtomicInteger posts = new AtomicInteger();
        private final Map<CompletableFuture<Void>, Integer> turns = new ConcurrentHashMap<>(); // and after how many

        @Override
        TicketQueue plant(TicketQueue sound) {
            AtomicBoolean waits = new AtomicBoolean(); // but not the first, which may be of who puts them up
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    if (!waits.getAndSet(true)) {
                        return queue.take(request);
                    }
                    CompletableFuture<Void> turn = new CompletableFuture<>();
                    turns.put(turn, posts.get() + SOME);
                    return turn.thenCompose(now -> queue.take(request));
                }

                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.post(seen, text).thenApply(posted -> {
                        int count = posts.incrementAndGet();
                        turns.forEach((turn, due) -> {
                            if (due <= count) {
                                turn.complete(null);
                            }
                        });
                        return posted;
                    });
                }
            };
        }
    }

    static final class ClaimsToHavePosted extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.post(seen, text).thenApply(posted -> true);
                }
            };
        }
    }

    static final class ForgetsWithAnyTicket extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return queue.remove(ticket)
                            .thenCompose(removed -> queue.notice()
                                    .thenCompose(now -> queue.post(now, ""))
                                    .thenApply(cleared -> removed));
                }
            };
        }
    }

    static final class TrimsTexts extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.post(seen, text.trim());
                }
            };
        }
    }

    static final class ForgetsAtRestart extends PlantedTicketBugs.Fixture {
        @Override
        public void restart() {
            restarted.set(true);
        }

        private final AtomicBoolean restarted = new AtomicBoolean();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    return queue.notice().thenApply(now -> restarted.get() ? new Notice("", now.version()) : now);
                }
            };
        }
    }

    static final class TellsOnce extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onNotice(Runnable changed) {
                    AtomicBoolean told = new AtomicBoolean();
                    return queue.onNotice(() -> {
                        if (!told.getAndSet(true)) {
                            changed.run();
                        }
                    });
                }
            };
        }
    }

    static final class IsDeaf extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onNotice(Runnable changed) {
                    return Registration.NONE;
                }
            };
        }
    }

    /** Another way than that of the departures, which is slower. */
    static final class TellsLate extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onNotice(Runnable changed) {
                    return queue.onNotice(() -> CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS)
                            .execute(changed));
                }
            };
        }
    }

    /** All of a session's watches are one. */
    static final class DisarmsTheOthersToo extends PlantedTicketBugs.Fixture {
        private final AtomicBoolean disarmed = new AtomicBoolean();

        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onNotice(Runnable changed) {
                    Registration registration = queue.onNotice(() -> {
                        if (!disarmed.get()) {
                            changed.run();
                        }
                    });
                    return () -> {
                        disarmed.set(true);
                        registration.close();
                    };
                }
            };
        }
    }

    static final class ForgetsToDisarm extends PlantedTicketBugs.Fixture {
        @Override
        TicketQueue plant(TicketQueue sound) {
            return new ForwardingTicketStore.ForwardingQueue(sound) {
                @Override
                public Registration onNotice(Runnable changed) {
                    queue.onNotice(changed);
                    return Registration.NONE;
                }
            };
        }
    }
}
