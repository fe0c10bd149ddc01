package io.wellkeeper.internal;

import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.internal.Generations.Generation;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Each party has a ticket. A party that sees enough tickets that have not passed posts a notice that says which of them
 * pass now: the first in the order of their numbers. The parties that find their tickets there go on, and give them
 * back.
 *
 * <p>A party that takes its ticket sees all tickets ahead, and so it sees whether it is the last one. The other parties
 * look again when the notice changes, and now and then, in case the last one has died before it could post.
 */
final class NamedBarrier implements DistributedBarrier {

    private static final int MOST_AT_ONCE = 32; // generations; a notice has room for some hundreds

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
    public int getParties() {
        return parties;
    }

    @Override
    public int await() throws InterruptedException {
        Door.throwIfInterrupted();
        Party party = new Party();
        return await(party, party.start());
    }

    @Override
    public int await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
        Door.throwIfInterrupted();
        Party party = new Party();
        int missing = await(party, party.start(Futures.nanos(timeout, unit), wait -> wait.complete(-1)));
        if (missing < 0) {
            party.awaitLeft();
            throw timedOut();
        }
        return missing;
    }

    private static int await(Party party, CompletableFuture<Integer> wait) throws InterruptedException {
        try {
            return Futures.await(wait);
        } catch (InterruptedException gaveUp) {
            party.awaitLeft();
            throw gaveUp;
        }
    }

    @Override
    public CompletableFuture<Integer> awaitAsync() {
        return Futures.forUser(new Party().start(), client.events(), missing -> missing);
    }

    @Override
    public CompletableFuture<Integer> awaitAsync(Duration timeout) {
        CompletableFuture<Integer> wait =
                new Party().start(Door.nanos(timeout), party -> party.completeExceptionally(timedOut()));
        return Futures.forUser(wait, client.events(), missing -> missing);
    }

    private TimeoutException timedOut() {
        return new TimeoutException("barrier '" + name + "': not all of " + parties + " parties have come in time");
    }

    @Override
    public int getNumberWaiting() {
        return client.ask(queue, session -> {
            TicketQueue at = session.queue(queue);
            return at.tickets()
                    .thenCombine(
                            at.notice(),
                            (tickets, notice) ->
                                    Generations.of(notice).waiting(tickets).size());
        });
    }

    /**
     * A ticket, and where it was taken.
     *
     * @param ahead the tickets that were ahead of it; null once they have been counted
     * @param missing how many tickets of its generation had still to come after it
     * @param life the life of the notice under which it waits; empty while that is not known
     */
    private record Taken(
            LiveSession session,
            TicketQueue queue,
            Ticket ticket,
            @Nullable List<Ticket> ahead,
            int missing,
            String life) {

        long number() {
            return ticket.number();
        }

        /**
         * How a notice is to name this ticket as void: by its id if its session is the present one, else by its
         * session.
         */
        String named(LiveSession now) {
            return session == now ? Generations.only(ticket) : Generations.sessionOf(ticket);
        }
    }

    /**
     * Collects the tickets that depart while a party counts tickets, or waits for the tickets that it is to count.
     *
     * @param question the number of the question for which the departures matter
     * @param departed the tickets that have departed since the party asked
     */
    private record Counting(int question, Set<Ticket> departed) {

        Counting(int question) {
            this(question, ConcurrentHashMap.newKeySet());
        }

        /** The same, for a later question. */
        Counting by(int later) {
            return new Counting(later, departed);
        }
    }

    /** Whether a request for a ticket is under way. */
    private enum Arrival {
        NONE,
        UNDER_WAY,
        /** The wait has ended meanwhile. The thread that receives the reply tells when no ticket is left. */
        UNWANTED
    }

    /** A party that waits at the barrier. */
    private final class Party extends QueueWait<Integer> {

        private static final CompletionStage<Optional<Integer>> NOT_YET =
                CompletableFuture.completedFuture(Optional.empty());

        private final AtomicReference<@Nullable Taken> taken = new AtomicReference<>();
        private final AtomicReference<Arrival> arrival = new AtomicReference<>(Arrival.NONE);
        private volatile @Nullable Ticket through; // the ticket of this party that has passed by the notice
        private final Set<Taken> former = ConcurrentHashMap.newKeySet(); // lost tickets that may have been counted
        private final CompletableFuture<Void> left = new CompletableFuture<>(); // the wait is over, and the store knows
        private final AtomicInteger questions = new AtomicInteger(); // numbers the questions
        private final AtomicReference<@Nullable Counting> counting = new AtomicReference<>(); // null if not needed

        Party() {
            super(queue, client);
        }

        @Override
        CompletionStage<Optional<Integer>> ask(LiveSession session, TicketQueue at) {
            Taken mine = taken.get();
            int question = questions.incrementAndGet();
            return ask(question, mine, session, at).whenComplete((found, failure) -> answered(question));
        }

        private CompletionStage<Optional<Integer>> ask(
                int question, @Nullable Taken mine, LiveSession session, TicketQueue at) {
            if (mine != null) {
                if (mine.ahead != null) {
                    counting.updateAndGet(now -> now == null ? new Counting(question) : now.by(question));
                }
                return look(mine, session, at);
            }
            return former.isEmpty() ? arrive(session, at) : arriveAgain(question, session, at);
        }

        /**
         * First marks the former tickets as void: otherwise such a ticket could be counted, and then the next one, too.
         */
        private CompletionStage<Optional<Integer>> arriveAgain(int question, LiveSession session, TicketQueue at) {
            return at.notice().thenCompose(notice -> {
                Generations seen = Generations.of(notice);
                Optional<CompletionStage<Optional<Integer>>> before = passedBefore(seen);
                if (before.isPresent()) {
                    return before.get();
                }
                if (question != questions.get()) {
                    return notNow("another session has been asked since");
                }
                List<Taken> lost = List.copyOf(former);
                Generations next = seen.withVoid(
                        lost.stream().map(one -> one.named(session)).toList());
                if (next != seen) {
                    return post(at, notice, next, () -> arriveAgain(question, session, at));
                }
                lost.forEach(former::remove); // none of them can be counted any more
                return arrive(session, at);
            });
        }

        /**
         * Begins to collect departures, before it asks for the tickets. Parties of this client that give up from now on
         * are not counted, nor are those that gave up before if the store does not know it yet. A late answer in a
         * session that has ended does not reset what is collected for the next session.
         */
        private void countFromNow(LiveSession session) {
            Counting fresh = new Counting(questions.get());
            counting.updateAndGet(before -> before != null && session.ended() ? before : fresh);
            fresh.departed.addAll(session.givenBack(queue));
        }

        /**
         * Stops collecting departures, because each of many parties is told of every other's departure. Goes on
         * collecting if this party has taken its ticket and has not yet counted the tickets that it saw then.
         */
        private void answered(int question) {
            Taken mine = taken.get();
            if (mine == null || mine.ahead == null) {
                counting.updateAndGet(now -> now == null || now.question == question ? null : now);
            }
        }

        private CompletionStage<Optional<Integer>> arrive(LiveSession session, TicketQueue at) {
            countFromNow(session);
            if (!session.alive()) { // a ticket that dies with the session may be counted, and nobody would know
                return notNow("the session may have ended");
            }
            TicketRequest request = new TicketRequest(
                    Calls.requestId(), Mode.SHARED, 1, client.metadata().of(List.of(), List.of()));
            if (!arrival.compareAndSet(Arrival.NONE, Arrival.UNDER_WAY)) {
                return giveUp(); // the ticket that is under way may have been counted
            }
            if (isOver()) { // that it has no ticket may mean that it has just given it back
                arrived(false);
                return NOT_YET;
            }
            if (taken.get() != null || !former.isEmpty()) {
                arrived(false);
                return notNow("the answer to a request in an earlier session has just come");
            }
            CompletionStage<Taken> take =
                    Calls.stage(() -> at.take(request)).thenApply(place -> keep(session, at, place));
            take.whenComplete((mine, failure) -> {
                arrived(failure == null);
                if (failure != null && Calls.unwrap(failure) instanceof SessionLostException) {
                    fail(unknown());
                }
            });
            CompletionStage<Notice> notice = Calls.stage(at::notice);
            return take.thenCompose(mine -> notice.thenCompose(seen -> judge(mine, session, at, seen, false)));
        }

        private void arrived(boolean withTicket) {
            if (arrival.getAndSet(Arrival.NONE) == Arrival.UNWANTED && !withTicket) {
                left.complete(null);
            }
        }

        private Taken keep(LiveSession session, TicketQueue at, Place place) {
            session.taken(queue, place.ticket());
            Taken mine = new Taken(session, at, place.ticket(), stillThere(session, place.ahead()), 0, "");
            taken.set(mine);
            if (isOver()) {
                end();
            }
            return mine;
        }

        /**
         * Leaves out the tickets of parties of this client that have given up. The store may not have known that when
         * it answered, or may not know it yet.
         */
        private List<Ticket> stillThere(LiveSession session, List<Ticket> tickets) {
            Counting now = counting.get();
            return tickets.stream()
                    .filter(ticket -> now == null || !now.departed.contains(ticket))
                    .filter(ticket -> !session.isGivenBack(queue, ticket))
                    .toList();
        }

        @Override
        public void departed(Ticket ticket) {
            Counting now = counting.get();
            if (now != null) {
                now.departed.add(ticket);
            }
        }

        private CompletionStage<Optional<Integer>> look(Taken mine, LiveSession session, TicketQueue at) {
            return look(mine, session, at, mine.session != session);
        }

        private CompletionStage<Optional<Integer>> look(Taken mine, LiveSession session, TicketQueue at, boolean lost) {
            return at.notice().thenCompose(notice -> judge(mine, session, at, notice, lost));
        }

        /**
         * Decides by the notice what becomes of this party.
         *
         * @param lost whether its ticket was gone before the notice was read
         */
        private CompletionStage<Optional<Integer>> judge(
                Taken mine, LiveSession session, TicketQueue at, Notice notice, boolean lost) {
            Generations seen = Generations.of(notice);
            if (mine.life.isEmpty() ? lost : !mine.life.equals(seen.life())) {
                return giveUp();
            }
            if (seen.life().isEmpty()) {
                return post(mine, session, at, notice, seen.begun());
            }
            Taken known = mine.life.isEmpty() ? informed(mine, seen) : mine;
            Optional<CompletionStage<Optional<Integer>>> before = passedBefore(seen);
            if (before.isPresent()) {
                return before.get();
            }
            if (mine.number() <= seen.passed()) {
                return passed(known, session, at, lost, seen);
            }
            if (lost) {
                former.add(known);
                return comeAgain(known, session, at);
            }
            return count(known, session, at, notice, seen);
        }

        /**
         * Whether a former ticket of this party was counted after all, by a party that had seen it earlier. If the
         * notice cannot tell any more, nobody knows, and this party gives up.
         */
        private Optional<CompletionStage<Optional<Integer>>> passedBefore(Generations seen) {
            for (Taken earlier : former) {
                if (!earlier.life.equals(seen.life())) {
                    return Optional.of(giveUp());
                }
                if (earlier.number() <= seen.passed()) {
                    Generation generation = seen.of(earlier.number()).orElse(null);
                    if (generation == null || generation.members().isEmpty()) {
                        return Optional.of(giveUp());
                    }
                    if (TicketNumbers.contains(generation.members(), earlier.number())) {
                        int missing = missing(generation, earlier);
                        return Optional.of(CompletableFuture.completedFuture(Optional.of(missing)));
                    }
                    former.remove(earlier);
                }
            }
            return Optional.empty();
        }

        private static int missing(Generation generation, Taken counted) {
            return counted.number() == generation.last() ? 0 : Math.max(1, counted.missing);
        }

        /** Computes how many tickets have to come after this one. No ticket ever comes ahead of it. */
        private Taken informed(Taken mine, Generations seen) {
            long first = seen.of(mine.number()).map(Generation::first).orElse(seen.passed() + 1);
            List<Ticket> ahead = mine.ahead == null ? List.of() : mine.ahead;
            long passed =
                    ahead.stream().takeWhile(ticket -> ticket.number() < first).count();
            int missing = parties - 1 - (int) ((ahead.size() - passed) % parties);
            Taken known = new Taken(mine.session, mine.queue, mine.ticket, mine.ahead, missing, seen.life());
            taken.compareAndSet(mine, known);
            return known;
        }

        private CompletionStage<Optional<Integer>> passed(
                Taken mine, LiveSession session, TicketQueue at, boolean lost, Generations seen) {
            Generation generation = seen.of(mine.number()).orElse(null);
            if (generation == null || (lost && generation.members().isEmpty())) {
                return giveUp();
            }
            boolean counted =
                    generation.members().isEmpty() || TicketNumbers.contains(generation.members(), mine.number());
            if (!counted) {
                return comeAgain(mine, session, at);
            }
            through = mine.ticket;
            return CompletableFuture.completedFuture(Optional.of(missing(generation, mine)));
        }

        /**
         * The ticket was gone before its generation passed, because its session ended or somebody removed it. A store
         * may still show the tickets of an ended session for a while. If very many sessions have ended at once, the
         * notice may by then have forgotten that this ticket is void. A party that saw it beside the next one would
         * count this party twice. So the ticket is removed before the next one is taken.
         */
        private CompletionStage<Optional<Integer>> comeAgain(Taken mine, LiveSession session, TicketQueue at) {
            CompletionStage<Boolean> removed = session == mine.session
                    ? CompletableFuture.completedFuture(false)
                    : Calls.stage(() -> at.remove(mine.ticket));
            return removed.thenCompose(gone -> {
                if (taken.compareAndSet(mine, null)) {
                    mine.session.giveBackUntold(
                            queue, mine.queue, mine.ticket); // so that this client does not take it for alive
                }
                return notNow("the ticket is gone");
            });
        }

        private CompletionStage<Optional<Integer>> giveUp() {
            fail(unknown());
            return NOT_YET;
        }

        private LockStoreException unknown() {
            return new LockStoreException("barrier '" + name + "': this party has lost its place with its session, and"
                    + " nobody knows whether it has passed before");
        }

        private CompletionStage<Optional<Integer>> count(
                Taken mine, LiveSession session, TicketQueue at, Notice notice, Generations seen) {
            List<Ticket> ahead = mine.ahead;
            if (ahead == null) {
                countFromNow(session);
                return session.tickets(queue).thenCompose(tickets -> count(mine, session, at, notice, seen, tickets));
            }
            Taken counted = new Taken(mine.session, mine.queue, mine.ticket, null, mine.missing, mine.life);
            taken.compareAndSet(mine, counted);
            if (ahead.size() + 1 < parties) {
                return NOT_YET;
            }
            List<Ticket> tickets = new ArrayList<>(ahead);
            tickets.add(mine.ticket);
            return count(counted, session, at, notice, seen, tickets);
        }

        private CompletionStage<Optional<Integer>> count(
                Taken mine,
                LiveSession session,
                TicketQueue at,
                Notice notice,
                Generations seen,
                List<Ticket> tickets) {
            List<Ticket> waiting = stillThere(session, seen.waiting(tickets));
            if (!waiting.contains(mine.ticket)) {
                // the notice is older than the tickets: this party may have passed since
                return look(mine, session, at, true);
            }
            return waiting.size() < parties
                    ? NOT_YET
                    : post(mine, session, at, notice, seen.with(complete(waiting), tickets));
        }

        /** All complete generations, not only the first, because each change of the notice is told to all waiters. */
        private List<List<Ticket>> complete(List<Ticket> waiting) {
            List<List<Ticket>> generations = new ArrayList<>();
            for (int to = parties; to <= waiting.size() && generations.size() < MOST_AT_ONCE; to += parties) {
                generations.add(waiting.subList(to - parties, to));
            }
            return generations;
        }

        /**
         * Posts a notice and then looks again. If another party was faster, it looks a moment later or when it is told.
         */
        private CompletionStage<Optional<Integer>> post(
                Taken mine, LiveSession session, TicketQueue at, Notice notice, Generations next) {
            return post(at, notice, next, () -> look(mine, session, at));
        }

        private CompletionStage<Optional<Integer>> post(
                TicketQueue at,
                Notice notice,
                Generations next,
                Supplier<CompletionStage<Optional<Integer>>> onceItIsUp) {
            if (isOver()) {
                return NOT_YET;
            }
            return at.post(notice, next.form().format())
                    .thenCompose(posted -> posted ? onceItIsUp.get() : notNow("somebody else was faster"));
        }

        private static CompletionStage<Optional<Integer>> notNow(String why) {
            return CompletableFuture.failedFuture(new NotNow(why));
        }

        /**
         * A party that has passed gives its ticket back without telling the others, who may be many: this ticket is not
         * counted any more.
         */
        @Override
        void end() {
            boolean comes = arrival.updateAndGet(now -> now == Arrival.NONE ? now : Arrival.UNWANTED) != Arrival.NONE;
            Taken last = taken.getAndSet(null); // the last ticket, if no request is under way
            if (last != null && last.ticket.equals(through)) {
                last.session.giveBackUntold(queue, last.queue, last.ticket);
                left.complete(null); // it was counted, whatever this party makes of that
            } else if (last != null) {
                last.session.giveBack(queue, last.queue, last.ticket).thenRun(() -> left.complete(null));
            } else if (!comes) {
                left.complete(null);
            }
        }

        /**
         * Waits until the store knows that the party has left. Only then does the caller learn that the party gave up,
         * so a party that comes later does not count it.
         */
        void awaitLeft() {
            AbstractClient.awaitQuietly(
                    left,
                    System.nanoTime() + client.storeTimeout().toNanos(),
                    "that a party has left barrier '" + name + "'");
        }
    }

    @Override
    public String toString() {
        return client.describe(DistributedBarrier.class, name, parties + " parties");
    }
}
