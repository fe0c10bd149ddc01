package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is counted at a barrier, and who gets through, while one request or another fails. */
class BarrierInTroubleTest {

    private static final String NAME = "troubled";
    private static final String QUEUE = LockNames.RESERVED + "barrier/" + NAME;
    private static final Duration A_WHILE = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(1); // before a session ends

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicInteger takesThatThrow = new AtomicInteger();
    private final AtomicInteger readsThatThrow = new AtomicInteger();
    private boolean removes = true;
    private CompletableFuture<Void> answered = CompletableFuture.completedFuture(null); // before it no queue is shown
    private CompletableFuture<Void> noticed = CompletableFuture.completedFuture(null); // before it no notice is shown
    private CompletableFuture<Void> othersAnswered = CompletableFuture.completedFuture(null); // no ticket given
    private @Nullable Runnable onceItWatches; // to be done when the other client looks at its clock after that
    private @Nullable Runnable atNextLook;
    private @Nullable Runnable atNextUse; // of the queue, by the first client
    private final InMemoryTicketStore lossy = new InMemoryTicketStore(server);
    private final InMemoryTicketStore others = new InMemoryTicketStore(server);
    private LockClient client;
    private LockClient other;

    @BeforeEach
    void connect() {
        client = client(new Troubled(), time);
        other = client(new Slow(), new Interrupted());
        time.advance(A_WHILE);
    }

    private LockClient client(TicketStore store, Time clock) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(clock)
                        .callbackExecutor(time.executor())
                        .build());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private CompletableFuture<Integer> await(LockClient who) {
        CompletableFuture<Integer> waiting = who.barrier(NAME, 2).awaitAsync();
        time.advance(A_WHILE);
        return waiting;
    }

    @Test
    void await_ticketOfAnotherPartyOfThisClientCannotBeGivenBack_itDoesNotCount() {
        CompletableFuture<Integer> first = await(client);
        removes = false;
        first.cancel(false);
        time.advance(A_WHILE);

        CompletableFuture<Integer> second = await(client);

        assertThat(second).isNotDone();
        removes = true;
        time.advance(A_WHILE);
        assertThat(server.queueLength(QUEUE)).isEqualTo(1);
        assertThat(await(other)).isCompletedWithValue(0);
        assertThat(second).isCompletedWithValue(1);
        assertThat(server.queueLength(QUEUE)).isZero();
    }

    @Test
    void await_anotherPartyOfThisClientGaveUpBeforeTheAnswer_itDoesNotCount() {
        CompletableFuture<Integer> first = await(client);
        answered = new CompletableFuture<>();
        CompletableFuture<Integer> second = await(client);
        assertThat(server.queueLength(QUEUE)).isEqualTo(2);
        first.cancel(false);
        time.advance(A_WHILE);
        assertThat(server.queueLength(QUEUE)).isEqualTo(1);

        answered.complete(null);
        time.advance(A_WHILE);

        assertThat(second).isNotDone();
        assertThat(await(other)).isCompletedWithValue(0);
        assertThat(second).isCompletedWithValue(1);
    }

    @Test
    void await_anotherPartyOfThisClientGivesUpWhileItLooks_itDoesNotCount() {
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        CompletableFuture<Integer> second = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        answered = new CompletableFuture<>();
        CompletableFuture<Integer> third = client.barrier(NAME, 3).awaitAsync();
        time.advance(Duration.ofMinutes(1)); // so that each has asked again
        first.cancel(false);
        time.advance(A_WHILE);

        answered.complete(null);
        time.advance(A_WHILE);

        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }

    @Test
    void await_otherGaveUpWhileItWaits_itDoesNotCountWhenItLooksAgain() {
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        CompletableFuture<Integer> second = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        removes = false;
        first.cancel(false);
        time.advance(A_WHILE);

        CompletableFuture<Integer> third = client.barrier(NAME, 3).awaitAsync();
        time.advance(Duration.ofMinutes(1)); // so that each has looked again

        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }

    @Test
    void await_answerOfALostSessionComesWhileItCounts_whoHasGivenUpMeanwhileDoesNotCount() {
        CompletableFuture<Integer> first = client.barrier(NAME, 4).awaitAsync();
        CompletableFuture<Integer> second = client.barrier(NAME, 4).awaitAsync();
        CompletableFuture<Integer> stranger = other.barrier(NAME, 4).awaitAsync(); // which keeps its session
        time.advance(A_WHILE);
        CompletableFuture<Void> late = new CompletableFuture<>();
        noticed = late;
        server.wakeForNothing();
        time.runUntilIdle(); // both have asked by the session that is about to end
        noticed = CompletableFuture.completedFuture(null);
        lossy.expireSessions();
        time.advance(Duration.ofMinutes(1)); // both have come again
        others.cut(); // it does not know who gives up
        removes = false;
        first.cancel(false);
        CompletableFuture<Integer> third = client.barrier(NAME, 4).awaitAsync();
        time.advance(SOON);
        assertThat(server.queueLength(QUEUE)).isEqualTo(4);

        answered = new CompletableFuture<>();
        server.wakeForNothing();
        time.runUntilIdle(); // all four are seen
        removes = true;
        time.advance(SOON);
        assertThat(server.queueLength(QUEUE)).isEqualTo(3);
        late.complete(null);
        time.runUntilIdle();
        answered.complete(null);
        time.advance(SOON);

        assertThat(List.of(second, third, stranger)).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void await_ticketWasRemovedByHand_comesAgainAndOwesNothingForTheOld() {
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        CompletableFuture<Integer> second = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        server.removeTicket(QUEUE, 0);

        time.advance(Duration.ofMinutes(2)); // so that it has looked again

        assertThat(server.queueLength(QUEUE)).isEqualTo(2);
        assertThat(server.requests(Request.REMOVE)).isEqualTo(1);
        CompletableFuture<Integer> third = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        assertThat(List.of(first, second, third)).allMatch(CompletableFuture::isDone);
        assertThat(third).isCompletedWithValue(0);
    }

    @Test
    void await_sessionEndsAndItsTicketIsStillShown_comesAgainAndCountsOnce() {
        server.showEnded();
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        CompletableFuture<Integer> second = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);

        lossy.expireSessions();
        time.advance(A_WHILE);

        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Integer> third = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        assertThat(third).isCompletedWithValue(0);
        assertThat(List.of(first, second)).allMatch(CompletableFuture::isDone);
    }

    /** More sessions end at once than the notice says are void: a ticket that it has forgotten may still be shown. */
    @Test
    void await_veryManySessionsEndAndATicketIsStillShown_eachCountsOnce() {
        int parties = 70;
        server.showEnded();
        List<InMemoryTicketStore> connections = Stream.generate(() -> new InMemoryTicketStore(server))
                .limit(parties - 3)
                .toList();
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (LockClient who : Stream.concat(
                        Stream.of(client), connections.stream().map(connection -> client(connection, time)))
                .toList()) {
            waiting.add(who.barrier(NAME, parties).awaitAsync());
        }
        time.advance(A_WHILE);
        waiting.add(other.barrier(NAME, parties).awaitAsync()); // keeps its session
        time.advance(A_WHILE);
        connections.forEach(InMemoryTicketStore::cut);
        connections.forEach(InMemoryTicketStore::expireSessions);
        lossy.expireSessions(); // so this ticket is shown, and the first to be void
        time.advance(A_WHILE);
        connections.forEach(connection -> {
            connection.mend();
            time.advance(A_WHILE);
        });

        assertThat(server.queueLength(QUEUE)).isEqualTo(parties - 1);
        assertThat(waiting).hasSize(parties - 1).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void await_hasComeAgainAndItsOldTicketIsCountedByOneWhoSawIt_passesToo() {
        CompletableFuture<Integer> first = await(other);
        answered = new CompletableFuture<>();
        CompletableFuture<Integer> second = await(client);
        others.expireSessions();
        time.runUntilIdle(); // the first has removed its ticket, and not taken another

        answered.complete(null);
        time.advance(A_WHILE);

        assertThat(second).isCompletedWithValue(0);
        assertThat(first).isCompletedWithValue(1);
        assertThat(server.queueLength(QUEUE)).isZero();
    }

    @Test
    void await_hasComeAgainAndItsOldTicketIsCountedByOneWhoSawIt_isNotCountedOnceMore() {
        CompletableFuture<Integer> first = await(other);
        answered = new CompletableFuture<>();
        CompletableFuture<Integer> second = await(client);
        others.expireSessions();
        time.runUntilIdle(); // the first has removed its ticket, and not taken another
        othersAnswered = new CompletableFuture<>();
        time.advance(A_WHILE); // it has taken another, and does not know it

        answered.complete(null);
        time.advance(A_WHILE);
        CompletableFuture<Integer> third = await(client);
        othersAnswered.complete(null);
        time.advance(A_WHILE);

        assertThat(Stream.of(first, second, third).filter(CompletableFuture::isDone))
                .hasSize(2);
        assertThat(await(other)).isDone();
        assertThat(List.of(first, second, third)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void await_numbersBeginAnewBeforeItComesAgain_doesNotTakeAnothersForItsOwn() {
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        CompletableFuture<Integer> second = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        lossy.expireSessions();
        time.runUntilIdle(); // it has removed its ticket, and not taken another
        lossy.cut();
        second.cancel(false);
        time.advance(A_WHILE);
        assertThat(server.queueLength(QUEUE)).isZero();
        for (int i = 0; i < 4; i++) {
            other.barrier(NAME, 3).awaitAsync();
        }
        time.advance(A_WHILE);

        lossy.mend();
        time.advance(Duration.ofMinutes(1));

        assertThat(first).isCompletedExceptionally();
        assertThatThrownBy(first::join).hasMessageContaining("nobody knows whether it has passed before");
    }

    @Test
    void await_sessionEndsAndOthersPassMeanwhile_comesAgain() {
        CompletableFuture<Integer> first = client.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        CompletableFuture<Integer> second = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        lossy.expireSessions();
        lossy.cut();
        for (int i = 0; i < 3; i++) { // two pass with the second, and the last one waits
            other.barrier(NAME, 3).awaitAsync();
        }
        time.advance(A_WHILE);
        assertThat(second).isDone();

        lossy.mend();
        time.advance(Duration.ofMinutes(1));

        assertThat(first).isNotDone();
        assertThat(server.queueLength(QUEUE)).isEqualTo(2);
        CompletableFuture<Integer> last = other.barrier(NAME, 3).awaitAsync();
        time.advance(A_WHILE);
        assertThat(last).isCompletedWithValue(0);
        assertThat(first).isDone();
    }

    @Test
    void await_hasComeAgainAndItsOldTicketIsCountedAndThatForgotten_doesNotPassWithLaterOnes() {
        CompletableFuture<Integer> first = await(other);
        answered = new CompletableFuture<>();
        CompletableFuture<Integer> second = await(client);
        CompletableFuture<Integer> third = await(client);
        others.expireSessions();
        time.runUntilIdle(); // the first has removed its ticket, and not taken another
        others.cut();
        answered.complete(null);
        time.advance(A_WHILE);
        assertThat(second).isCompletedWithValue(0);
        for (int i = 0; i < 10; i++) { // each time the one that waits passes, and another one waits
            client.barrier(NAME, 2).awaitAsync();
            client.barrier(NAME, 2).awaitAsync();
            time.advance(A_WHILE);
        }
        assertThat(third).isDone();
        assertThat(server.queueLength(QUEUE)).isEqualTo(1);

        others.mend();
        time.advance(Duration.ofMinutes(1));

        assertThat(first).isCompletedExceptionally();
        assertThatThrownBy(first::join).hasMessageContaining("nobody knows whether it has passed before");
        assertThat(server.queueLength(QUEUE)).isEqualTo(1);
    }

    /** Between the question whether it has a ticket and the request for one. */
    @Test
    void await_ticketOfTheLastSessionComesToBeKnownJustBeforeItTakesAnother_takesNone() {
        othersAnswered = new CompletableFuture<>();
        CompletableFuture<Integer> first = await(other);
        CompletableFuture<Integer> second = await(client);
        assertThat(second).isCompletedWithValue(0);
        onceItWatches = () -> othersAnswered.complete(null);

        others.expireSessions();
        time.advance(Duration.ofMinutes(1));

        assertThat(onceItWatches).isNull();
        assertThat(atNextLook).isNull();
        assertThat(first).isCompletedExceptionally();
        assertThatThrownBy(first::join).hasMessageContaining("nobody knows whether it has passed before");
        assertThat(server.queueLength(QUEUE)).isZero();
    }

    /** Between the question whether it still waits and the one to the store. */
    @Test
    void await_endsJustBeforeItLooksAgain_takesNoOtherTicket() {
        CompletableFuture<Integer> first = await(client);
        int takes = server.requests(Request.TAKE);
        atNextUse = () -> first.cancel(false);

        time.advance(Duration.ofMinutes(1));

        assertThat(first).isCancelled();
        assertThat(server.requests(Request.TAKE)).isEqualTo(takes);
        assertThat(server.queueLength(QUEUE)).isZero();
    }

    /** Between the look at whether it still waits and the request for a ticket. */
    @Test
    void await_endsJustBeforeItTakesItsTicket_takesNone() {
        others.cut();
        CompletableFuture<Integer> first = await(client(new Slow(), new Interrupted())); // which has no session yet
        int takes = server.requests(Request.TAKE);
        onceItWatches = () -> first.cancel(false);

        others.mend();
        time.advance(A_WHILE);

        assertThat(onceItWatches).isNull();
        assertThat(first).isCancelled();
        assertThat(server.requests(Request.TAKE)).isEqualTo(takes);
    }

    @Test
    void await_storeThrowsInsteadOfFailing_comesAgain() {
        takesThatThrow.set(1);
        readsThatThrow.set(1);

        CompletableFuture<Integer> first = await(client);
        assertThat(first).isNotDone();

        assertThat(await(other)).isCompletedWithValue(0);
        assertThat(first).isCompletedWithValue(1);
        assertThat(takesThatThrow.get() + readsThatThrow.get()).isNegative();
    }

    /** Answers the others when that is wanted. */
    private final class Slow extends ForwardingTicketStore {

        Slow() {
            super(others);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    CompletableFuture<Void> before = othersAnswered;
                    return super.take(request).thenCompose(place -> before.thenApply(now -> place));
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    atNextLook = onceItWatches;
                    onceItWatches = null;
                    return super.onNotice(changed);
                }
            };
        }
    }

    private final class Interrupted implements Time {

        @Override
        public long nanoTime() {
            Runnable now = atNextLook;
            if (now != null) {
                atNextLook = null;
                now.run();
            }
            return time.nanoTime();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }
    }

    private final class Troubled extends ForwardingTicketStore {

        Troubled() {
            super(lossy);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            Runnable now = atNextUse;
            if (now != null) {
                atNextUse = null;
                now.run();
            }
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    throwIf(takesThatThrow);
                    return late(super.take(request), answered);
                }

                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return late(super.tickets(), answered);
                }

                @Override
                public CompletionStage<Notice> notice() {
                    throwIf(readsThatThrow);
                    return late(super.notice(), noticed);
                }

                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return removes
                            ? super.remove(ticket)
                            : CompletableFuture.failedFuture(new LockStoreException("not now"));
                }
            };
        }

        private <T> CompletionStage<T> late(CompletionStage<T> answer, CompletableFuture<Void> before) {
            return answer.thenCompose(value -> before.thenApply(now -> value));
        }

        private void throwIf(AtomicInteger left) {
            if (left.getAndDecrement() > 0) {
                throw new LockStoreException("not now");
            }
        }
    }
}
