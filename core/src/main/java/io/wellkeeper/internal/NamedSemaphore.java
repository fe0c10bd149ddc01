package io.wellkeeper.internal;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A ticket stands for permits. The notice of the queue says how many permits there are. */
final class NamedSemaphore implements DistributedSemaphore {

    private static final String SAID_BY = "by"; // the number of a ticket
    private static final int MOST_DOUBTS = 10; // until then a number that was not asked for is read again

    private final String name;
    private final int asked;
    private final LockOptions options;
    private final TicketClient client;
    private volatile int agreed; // the last number in the notice, once that was as asked; 0 before

    NamedSemaphore(String name, int permits, LockOptions options, TicketClient client) {
        this.name = name;
        this.asked = permits;
        this.options = options;
        this.client = client;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Reads how many permits there are. The first client that writes the number decides it. Each other client must have
     * asked for the same number, but this is checked only until the two have agreed once. Tickets that have departed
     * may have left another number in the notice. The first ticket in the queue corrects it. Until it has done so, the
     * tickets behind it find a number that none of them asks for.
     *
     * @param doubts how often the number may have been one that departed tickets have left
     */
    private Size.Reading read(NoticeForm notice, long mine, List<Ticket> ahead, AtomicInteger doubts) {
        OptionalInt said = notice.number(Snapshot.SIZE);
        long by = notice.longNumber(SAID_BY).orElse(-1);
        boolean faster = by > mine; // a ticket behind this one has written the number
        boolean first = agreed == 0 && ahead.isEmpty() && !faster; // the notice is of departed tickets
        if (said.isEmpty() || (first && said.getAsInt() != asked)) {
            int size = known();
            return new Size.Reading(
                    size, notice.with(Snapshot.SIZE, Integer.toString(size)).with(SAID_BY, Long.toString(mine)));
        }
        if (agreed == 0 && said.getAsInt() != asked) {
            boolean ofTheGone = !ahead.isEmpty() && by < ahead.get(0).number();
            if (ofTheGone && doubts.getAndIncrement() < MOST_DOUBTS) {
                return Size.Reading.UNKNOWN;
            }
            throw new IllegalStateException("semaphore '" + name + "' has " + said.getAsInt()
                    + " permits, and this client asks for one with " + asked);
        }
        agreed = said.getAsInt();
        return new Size.Reading(said.getAsInt(), null);
    }

    /**
     * A request that wants more permits than the first number that it reads is refused. If they become fewer later, the
     * request waits.
     *
     * @param mayBeFewer whether the request also waits if the first number is too small
     */
    private Size sizeFor(int permits, boolean mayBeFewer) {
        AtomicBoolean begun = new AtomicBoolean(mayBeFewer);
        AtomicInteger doubts = new AtomicInteger();
        return (notice, mine, ahead) -> {
            Size.Reading reading = read(notice, mine, ahead, doubts);
            if (reading.isKnown() && !begun.getAndSet(true) && reading.permits() < permits) {
                throw tooMany(permits, reading.permits());
            }
            return reading;
        };
    }

    private IllegalArgumentException tooMany(int permits, int size) {
        return new IllegalArgumentException(
                permits + " permits are asked for; semaphore '" + name + "' has 1 to " + size);
    }

    private int known() {
        int size = agreed;
        return size == 0 ? asked : size;
    }

    private Door<Permits> door(int permits) {
        if (permits < 1 || (agreed == 0 && permits > asked)) {
            throw tooMany(permits, known());
        }
        return door(permits, false);
    }

    private Door<Permits> door(int permits, boolean mayBeFewer) {
        return new Door<>(
                client,
                name,
                Side.PERMITS,
                Want.permits(permits, sizeFor(permits, mayBeFewer)),
                options,
                PermitsHandle::new);
    }

    @Override
    public Permits acquire(int permits) throws InterruptedException {
        return door(permits).acquire();
    }

    @Override
    public Optional<Permits> tryAcquire(int permits) {
        return door(permits).tryAcquire();
    }

    @Override
    public Optional<Permits> tryAcquire(int permits, Duration timeout) throws InterruptedException {
        return door(permits).tryAcquire(timeout);
    }

    @Override
    public CompletableFuture<Permits> acquireAsync(int permits) {
        return door(permits).acquireAsync();
    }

    @Override
    public CompletableFuture<Optional<Permits>> tryAcquireAsync(int permits, Duration timeout) {
        return door(permits).tryAcquireAsync(timeout);
    }

    @Override
    public int availablePermits() {
        Snapshot seen = client.ask(name, session -> Snapshot.list(session.queue(name)));
        if (seen.isEmpty()) {
            return known();
        }
        long taken = Stream.concat(seen.holders().stream(), seen.waiters().stream())
                .mapToLong(info -> info.ticket().permits())
                .sum();
        return (int) Math.max(0, seen.size().orElse(known()) - taken);
    }

    /**
     * If another request was faster, or the semaphore has become smaller, this method looks again. It does not do so
     * for ever, because a request of this client that waits goes first, and may get no ticket.
     */
    @Override
    public Optional<Permits> drainPermits() {
        long began = client.time().nanoTime();
        while (true) {
            int seen = availablePermits();
            // Before the numbers have agreed, a request for more than this client's own number would be refused.
            int there = agreed == 0 ? Math.min(seen, asked) : seen;
            if (there == 0) {
                return Optional.empty();
            }
            Optional<Permits> drained = door(there, true).tryAcquire();
            long took = client.time().nanoTime() - began;
            if (drained.isPresent() || took >= client.storeTimeout().toNanos()) {
                return drained;
            }
        }
    }

    @Override
    public int permits() {
        Snapshot seen = client.ask(name, session -> Snapshot.list(session.queue(name)));
        return seen.isEmpty() ? known() : seen.size().orElse(known());
    }

    @Override
    public void resize(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(permits + " permits; a semaphore has at least 1");
        }
        client.await(client.insist(name, false, (session, isOver) -> tryResize(session.queue(name), permits, isOver)));
        agreed = permits;
    }

    /** Empty if another client has changed the notice meanwhile. */
    private CompletionStage<Optional<Boolean>> tryResize(TicketQueue queue, int permits, BooleanSupplier isOver) {
        return Snapshot.list(queue)
                .thenCompose(seen -> isOver.getAsBoolean()
                        ? CompletableFuture.completedFuture(false)
                        : NoticeForm.tryPost(
                                queue, seen.notice(), seen.resized(permits), old -> client.noticeReplaced(name, old)))
                .thenApply(done -> done ? Optional.of(true) : Optional.empty());
    }

    @Override
    public String toString() {
        return client.describe(DistributedSemaphore.class, name, known() + " permits");
    }
}
