package io.wellkeeper.internal;

import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Each party has a ticket. Whoever sees enough that have not passed puts up the ids of those that pass now, in the order of
 * their numbers; those who see theirs go on, and give it back. What has passed and still lives stays up, so that a party
 * that is slow to look is not forgotten when the next generation passes.
 */
final class NamedBarrier implements DistributedBarrier {

    private static final String PASSED = "passed"; // generations, each the ids of its tickets

    private final String name;
    private final int parties;
    private final String queue;
    private final TicketClient client;

    NamedBarrier(String name, int parties, TicketClient client) {
        this.name = name;
        this.parties = parties;
        this.queue = InternalNames.barrier(name);
        this.client = client;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int parties() {
        return parties;
    }

    @Override
    public int await() throws InterruptedException {
        Door.throwIfInterrupted();
        return Futures.await(new Party().start());
    }

    @Override
    public int await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
        Door.throwIfInterrupted();
        int missing = Futures.await(within(Futures.nanos(timeout, unit)));
        if (missing < 0) {
            throw timedOut();
        }
        return missing;
    }

    @Override
    public CompletableFuture<Integer> awaitAsync() {
        return Futures.forUser(new Party().start(), client.events(), missing -> missing);
    }

    @Override
    public CompletableFuture<Integer> awaitAsync(Duration timeout) {
        CompletableFuture<Integer> wait = new Party().start();
        Futures.limited(wait, Door.nanos(timeout), client.time(), () -> wait.completeExceptionally(timedOut()));
        return Futures.forUser(wait, client.events(), missing -> missing);
    }

    /** Negative if the time has passed first. */
    private CompletableFuture<Integer> within(long nanos) {
        CompletableFuture<Integer> wait = new Party().start();
        return Futures.limited(wait, nanos, client.time(), () -> wait.complete(-1));
    }

    private TimeoutException timedOut() {
        return new TimeoutException("barrier '" + name + "': not all of " + parties + " parties have come in time");
    }

    @Override
    public int waiting() {
        return client.ask(queue, session -> {
            TicketQueue at = session.queue(queue);
            return at.tickets()
                    .thenCombine(
                            at.notice(),
                            (tickets, notice) -> unpassed(tickets, notice).size());
        });
    }

    private static List<List<String>> generations(Notice notice) {
        String text = NoticeForm.parse(notice.text()).get(PASSED).orElse("");
        return Arrays.stream(text.split(";"))
                .map(generation -> Arrays.asList(generation.split(",")))
                .toList();
    }

    private static List<Ticket> unpassed(List<Ticket> tickets, Notice notice) {
        List<String> passed = generations(notice).stream().flatMap(List::stream).toList();
        return tickets.stream().filter(ticket -> !passed.contains(ticket.id())).toList();
    }

    /** One that waits at the barrier. */
    private final class Party extends QueueWait<Integer> {

        /** A ticket, and where it was taken. */
        private record Taken(LiveSession session, TicketQueue queue, Ticket ticket) {}

        private final AtomicReference<@Nullable Taken> taken = new AtomicReference<>();

        Party() {
            super(queue, client);
        }

        @Override
        CompletionStage<Optional<Integer>> ask(LiveSession session, TicketQueue at) {
            Taken mine = taken.get();
            return mine != null && mine.session == session
                    ? look(at, mine.ticket)
                    : take(session, at).thenCompose(ticket -> look(at, ticket));
        }

        private CompletionStage<Ticket> take(LiveSession session, TicketQueue at) {
            TicketRequest request = new TicketRequest(
                    Calls.requestId(), Mode.SHARED, 1, client.metadata().of(List.of(), List.of()));
            return at.take(request).thenApply(Place::ticket).thenApply(ticket -> {
                session.taken(queue, ticket);
                taken.set(new Taken(session, at, ticket));
                if (isOver()) {
                    end();
                }
                return ticket;
            });
        }

        private CompletionStage<Optional<Integer>> look(TicketQueue at, Ticket mine) {
            return at.tickets()
                    .thenCombine(at.notice(), (tickets, notice) -> judge(at, mine, tickets, notice))
                    .thenCompose(decided -> decided);
        }

        private CompletionStage<Optional<Integer>> judge(
                TicketQueue at, Ticket mine, List<Ticket> tickets, Notice notice) {
            for (List<String> generation : generations(notice)) {
                if (generation.contains(mine.id())) {
                    return answer(parties - 1 - generation.indexOf(mine.id()));
                }
            }
            if (!tickets.contains(mine)) {
                taken.set(null); // a stranger has removed it: the next look takes another
                return CompletableFuture.failedFuture(new IllegalStateException("the ticket is gone"));
            }
            List<Ticket> waiting = unpassed(tickets, notice);
            if (waiting.size() < parties) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return at.post(notice, passing(tickets, waiting.subList(0, parties), notice))
                    .thenCompose(posted -> look(at, mine));
        }

        private static CompletionStage<Optional<Integer>> answer(int missing) {
            return CompletableFuture.completedFuture(Optional.of(missing));
        }

        /** What has passed and still lives, and those who pass now. */
        private static String passing(List<Ticket> tickets, List<Ticket> now, Notice notice) {
            List<String> living = tickets.stream().map(Ticket::id).toList();
            List<String> all = new ArrayList<>();
            for (List<String> generation : generations(notice)) {
                if (generation.stream().anyMatch(living::contains)) {
                    all.add(String.join(",", generation));
                }
            }
            all.add(now.stream().map(Ticket::id).collect(Collectors.joining(",")));
            return NoticeForm.parse(notice.text())
                    .with(PASSED, String.join(";", all))
                    .format();
        }

        @Override
        void end() {
            Taken last = taken.getAndSet(null);
            if (last != null) {
                last.session.giveBack(queue, last.queue, last.ticket);
            }
        }
    }

    @Override
    public String toString() {
        return "DistributedBarrier[" + name + ", " + parties + "]";
    }
}
