package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What stores of tickets and of leases may answer instead of what they were asked for. */
final class Troubles {

    static final String WORDS = "WRONGPASS invalid username-password pair";

    /** How a store fails. */
    enum Kind {
        REFUSAL(true),
        LINKAGE(true),
        BUG(true),
        PASSING(false);

        private final boolean lasting;

        Kind(boolean lasting) {
            this.lasting = lasting;
        }

        /** Whether no waiting helps. */
        boolean isLasting() {
            return lasting;
        }

        private <T> CompletionStage<T> answer() {
            return switch (this) {
                case REFUSAL -> CompletableFuture.failedFuture(new StoreRefusalException(WORDS));
                case LINKAGE -> throw new NoClassDefFoundError(WORDS);
                case BUG -> CompletableFuture.failedFuture(new IllegalStateException(WORDS));
                case PASSING -> CompletableFuture.failedFuture(new LockStoreException(WORDS));
            };
        }
    }

    private volatile @Nullable Kind opening; // null if all is well
    private volatile @Nullable Kind taking;
    private volatile @Nullable Kind reading;
    private volatile @Nullable Kind readingNotices;
    private volatile @Nullable Kind removing;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** From now on no session begins. */
    void opening(@Nullable Kind how) {
        opening = how;
    }

    /** From now on no ticket and no lease is given. */
    void taking(@Nullable Kind how) {
        taking = how;
    }

    /** From now on no queue is shown. */
    void reading(@Nullable Kind how) {
        reading = how;
    }

    /** From now on no notice is shown. */
    void readingNotices(@Nullable Kind how) {
        readingNotices = how;
    }

    /** From now on no ticket is removed, and no lease released. */
    void removing(@Nullable Kind how) {
        removing = how;
    }

    /** How often a session was asked for. */
    int opened() {
        return opened.get();
    }

    /** How often a ticket or a lease was asked for. */
    int taken() {
        return taken.get();
    }

    /** How often the store was asked to release a lease. */
    int released() {
        return released.get();
    }

    /** What the listener of a client was told. */
    List<String> warnings() {
        return warnings;
    }

    ClientOptions.Builder options() {
        return ClientOptions.builder()
                .storeTimeout(Duration.ofSeconds(60)) // much longer than any test waits
                .listener(new LockListener() {
                    @Override
                    public void storeTrouble(String store, String problem) {
                        warnings.add(problem);
                    }
                });
    }

    private static <T> CompletionStage<T> answer(@Nullable Kind how, Supplier<CompletionStage<T>> sound) {
        return how == null ? sound.get() : how.answer();
    }

    /** A store of tickets in memory, with these troubles. */
    ForwardingTicketStore over(InMemoryTicketStore store) {
        return new ForwardingTicketStore(store) {
            @Override
            public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
                opened.incrementAndGet();
                return answer(opening, () -> super.open(options, listener));
            }

            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<Place> take(TicketRequest request) {
                        taken.incrementAndGet();
                        return answer(taking, () -> super.take(request));
                    }

                    @Override
                    public CompletionStage<List<Ticket>> tickets() {
                        return answer(reading, super::tickets);
                    }

                    @Override
                    public CompletionStage<Notice> notice() {
                        return answer(readingNotices, super::notice);
                    }

                    @Override
                    public CompletionStage<Boolean> remove(Ticket ticket) {
                        return answer(removing, () -> super.remove(ticket));
                    }
                };
            }
        };
    }

    /** A store of leases in memory, with these troubles. */
    LeaseStore over(InMemoryLeaseStore store) {
        return new LeaseStore() {
            @Override
            public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                taken.incrementAndGet();
                return answer(taking, () -> store.tryAcquire(request));
            }

            @Override
            public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
                return store.renew(lease, ttl);
            }

            @Override
            public CompletionStage<Boolean> release(Lease lease) {
                released.incrementAndGet();
                return answer(removing, () -> store.release(lease));
            }

            @Override
            public String address() {
                return store.address();
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }
}
