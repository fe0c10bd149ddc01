package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedBarrier}: the promises of {@link java.util.concurrent.CyclicBarrier} to its threads, except that a
 * party that goes away does not break the barrier.
 */
abstract class BarrierContract extends LockKit {

    private static final int ROUNDS = 10;
    private static final int MANY = 400;

    private DistributedBarrier barrier(Client client, int parties) {
        return client.queues().barrier(name, parties);
    }

    /** Lets a party come by a thread of its own; returns when so many parties wait. */
    private Future<Integer> arrive(Client client, int parties, int waiting) {
        return arrive(actor(), client, parties, waiting);
    }

    private Future<Integer> arrive(Actor actor, Client client, int parties, int waiting) {
        Future<Integer> index = actor.start(barrier(client, parties)::await);
        awaitWaiting(client, parties, waiting);
        return index;
    }

    private void awaitWaiting(Client client, int parties, int waiting) {
        Await.until(waiting + " parties waiting", () -> barrier(client, parties).getNumberWaiting() == waiting);
    }

    /**
     * Waits until the parties of this client have read the state that the barrier had when they came. A party whose
     * session is lost before that fails. This lets two more parties come, which give up at once. They end only when
     * they have read the state too, and the answers to one client come in the order of its requests. There are two,
     * because the first may be the one that writes the state.
     */
    private void awaitArrived(Client client, int parties) {
        for (int party = 0; party < 2; party++) {
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> barrier(client, parties).await(0, TimeUnit.SECONDS));
        }
    }

    @Test
    void barrier_badNameOrParties_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "x".repeat(513))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.queues().barrier(bad, 1));
        }
        for (int bad : new int[] {0, -1}) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> barrier(client, bad));
        }
        assertThat(barrier(client, 3).name()).isEqualTo(name);
        assertThat(barrier(client, 3).getParties()).isEqualTo(3);
    }

    @Test
    void await_oneParty_goesOnAtOnce() throws Exception {
        DistributedBarrier barrier = barrier(client(), 1);
        for (int round = 0; round < 3; round++) {
            assertThat(actor().call(() -> barrier.await())).isZero();
            assertThat(actor().call(() -> barrier.await(1, TimeUnit.DAYS))).isZero();
            assertThat(Await.get(barrier.awaitAsync())).isZero();
        }
    }

    @Test
    void await_lastPartyComes_allGoOnAndKnowHowManyWereMissing() throws Exception {
        Client a = client();
        Client b = client();
        for (int round = 0; round < 3; round++) {
            Future<Integer> first = arrive(a, 4, 1);
            Future<Integer> second = arrive(b, 4, 2);
            Future<Integer> third = arrive(a, 4, 3);
            assertThat(List.of(first, second, third)).noneMatch(Future::isDone);

            assertThat(actor().call(() -> barrier(b, 4).await())).isZero();

            assertThat(Await.result(first)).isEqualTo(3);
            assertThat(Await.result(second)).isEqualTo(2);
            assertThat(Await.result(third)).isEqualTo(1);
        }
        awaitWaiting(a, 4, 0);
    }

    @Test
    void await_moreThanThereAreParties_theOthersWaitForTheNextRound() throws Exception {
        Client a = client();
        Client b = client();
        Future<Integer> first = arrive(a, 2, 1);
        assertThat(actor().call(() -> barrier(b, 2).await())).isZero();
        Await.result(first);
        Future<Integer> third = arrive(b, 2, 1);
        assertThat(third).isNotDone();

        assertThat(actor().call(() -> barrier(a, 2).await())).isZero();

        assertThat(Await.result(third)).isEqualTo(1);
    }

    /** No party is ever a round ahead of another one. */
    @Test
    void await_byManyRoundAfterRound_nobodyIsAhead() throws Exception {
        List<Client> clients = List.of(client(), client());
        int parties = 4;
        AtomicInteger[] arrived = new AtomicInteger[ROUNDS];
        AtomicInteger last = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            arrived[round] = new AtomicInteger();
        }
        for (int party = 0; party < parties; party++) {
            DistributedBarrier barrier = barrier(clients.get(party % 2), parties);
            running.add(actor().begin(() -> {
                for (AtomicInteger round : arrived) {
                    round.incrementAndGet();
                    if (barrier.await() == 0) {
                        last.incrementAndGet();
                    }
                    assertThat(round).hasValue(parties);
                }
            }));
        }
        running.forEach(Await::result);

        assertThat(last).hasValue(ROUNDS);
    }

    @Test
    void await_oneTimesOut_noLongerCounts() throws Exception {
        Client a = client();
        DistributedBarrier barrier = barrier(a, 2);
        long start = System.nanoTime();

        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> barrier.await(30, TimeUnit.MILLISECONDS));

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> barrier.await(none, TimeUnit.DAYS));
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> barrier.awaitAsync(Duration.ofMillis(20))
                        .get(Await.patience().toMillis(), TimeUnit.MILLISECONDS))
                .withCauseInstanceOf(TimeoutException.class);
        assertAllAreNeeded(a, 2);
    }

    /** Parties that came before and went away do not count. */
    private void assertAllAreNeeded(Client client, int parties) throws Exception {
        List<Future<Integer>> early = new ArrayList<>();
        for (int missing = parties - 1; missing > 0; missing--) {
            early.add(arrive(client, parties, parties - missing));
        }
        assertThat(early).noneMatch(Future::isDone);
        Client other = client();
        assertThat(actor().call(() -> barrier(other, parties).await(1, TimeUnit.DAYS)))
                .isZero();
        early.forEach(Await::result);
    }

    @Test
    void await_oneIsInterrupted_noLongerCounts() throws Exception {
        Client a = client();
        DistributedBarrier barrier = barrier(a, 2);
        Thread.currentThread().interrupt();
        assertThatThrownBy(barrier::await).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(barrier.getNumberWaiting()).isZero();
        Actor party = actor();
        Future<Integer> interrupted = arrive(party, a, 2, 1);

        party.interrupt();

        assertInterrupted(interrupted);
        awaitWaiting(a, 2, 0);
        assertAllAreNeeded(a, 2);
    }

    @Test
    void awaitAsync_cancelled_noLongerCounts() throws Exception {
        Client a = client();
        CompletableFuture<Integer> cancelled = barrier(a, 3).awaitAsync();
        CompletableFuture<Integer> timed = barrier(a, 3).awaitAsync(Duration.ofDays(1));
        awaitWaiting(a, 3, 2);

        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(timed.cancel(true)).isTrue();

        awaitWaiting(a, 3, 0);
        assertAllAreNeeded(a, 3);
    }

    @Test
    void awaitAsync_lastPartyComes_completesAll() throws Exception {
        Client a = client();
        Client b = client();
        CompletableFuture<Integer> first = barrier(a, 3).awaitAsync();
        awaitWaiting(a, 3, 1);
        CompletableFuture<Integer> second = barrier(b, 3).awaitAsync(Duration.ofDays(1));
        awaitWaiting(a, 3, 2);

        assertThat(Await.get(barrier(b, 3).awaitAsync())).isZero();

        assertThat(Await.get(first)).isEqualTo(2);
        assertThat(Await.get(second)).isEqualTo(1);
    }

    @Test
    void await_oneIsCutOffForLong_noLongerCounts() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        Future<Integer> lost = arrive(loser, 2, 1);

        fixture.cut(loser.client());

        awaitWaiting(b, 2, 0);
        Future<Integer> second = arrive(b, 2, 1);
        assertThat(second).isNotDone();
        Client c = client();
        assertThat(actor().call(() -> barrier(c, 2).await())).isZero();
        assertThat(Await.result(second)).isEqualTo(1);
        fixture.mend(loser.client());
        Await.until(
                "a party that comes again or gives up",
                () -> lost.isDone() || barrier(b, 2).getNumberWaiting() == 1);
        if (lost.isDone()) { // the store has forgotten which parties have passed, and that this one has not
            assertThat(outcome(lost)).isEqualTo("nobody knows");
        } else {
            assertThat(actor().call(() -> barrier(b, 2).await())).isZero();
            assertThat(Await.result(lost)).isEqualTo(1);
        }
    }

    @Test
    void await_lastPartyHasNoTime_goesOnAllTheSame() throws Exception {
        Client a = client();
        Client b = client();
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            Future<Integer> first = arrive(a, 2, 1);

            assertThat(actor().call(() -> barrier(b, 2).await(none, TimeUnit.DAYS)))
                    .isZero();

            assertThat(Await.result(first)).isEqualTo(1);
        }
        Future<Integer> first = arrive(a, 2, 1);
        assertThat(Await.get(barrier(b, 2).awaitAsync(Duration.ZERO))).isZero();
        assertThat(Await.result(first)).isEqualTo(1);
    }

    /** A party that cannot hear of the passage has passed with the others, even if it then loses its session. */
    @Test
    void await_sessionIsLostAfterThePassage_hasPassed() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        CompletableFuture<Integer> early = barrier(b, 3).awaitAsync();
        awaitWaiting(b, 3, 1);
        Future<Integer> lost = arrive(loser, 3, 2);
        actor().run(() -> loser.lock(name).lock());
        early.cancel(true);
        awaitWaiting(b, 3, 1);
        fixture.cut(loser.client());
        Future<Integer> second = arrive(b, 3, 2);
        assertThat(actor().call(() -> barrier(b, 3).await())).isZero();
        assertThat(Await.result(second)).isEqualTo(1);
        Future<Integer> next = arrive(b, 3, 1);
        awaitEndOfSession(b);

        fixture.mend(loser.client());

        assertThat(Await.result(lost)).isEqualTo(1);
        assertThat(next).isNotDone();
        awaitWaiting(b, 3, 1);
        Future<Integer> overNext = arrive(b, 3, 2);
        assertThat(actor().call(() -> barrier(b, 3).await())).isZero();
        assertThat(Await.result(next)).isEqualTo(2);
        assertThat(Await.result(overNext)).isEqualTo(1);
    }

    /**
     * If the store has forgotten which parties have passed, the party fails, and does not wait for others that have
     * gone.
     */
    @Test
    void await_sessionIsLostAfterThePassageAndNobodyIsLeft_doesNotWait() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        Future<Integer> lost = arrive(loser, 2, 1);
        actor().run(() -> loser.lock(name).lock());
        fixture.cut(loser.client());
        assertThat(actor().call(() -> barrier(b, 2).await())).isZero();
        awaitEndOfSession(b);

        fixture.mend(loser.client());

        assertThat(outcome(lost)).isIn(1, "nobody knows");
        awaitWaiting(b, 2, 0);
    }

    /** Waits for the end of a session: the lock that the session holds comes free with it. */
    private void awaitEndOfSession(Client other) {
        enter(other.lock(name)).leave();
    }

    /** The party's result, or a text if it failed because nobody knows whether it has passed. */
    private static Object outcome(Future<Integer> party) {
        try {
            return Await.result(party);
        } catch (LockStoreException unknown) {
            return "nobody knows";
        }
    }

    @Test
    void await_manyParties_allGoOn() throws Exception {
        List<Client> clients = List.of(client(), client());
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int party = 0; party < MANY; party++) {
            waiting.add(barrier(clients.get(party % 2), MANY).awaitAsync());
        }

        assertThat(waiting.stream().map(Await::get))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, MANY).boxed().toList());
    }

    @Test
    void await_oneLosesItsSession_comesAgain() throws Exception {
        Client loser = client();
        Client b = client();
        Future<Integer> first = arrive(loser, 3, 1);
        awaitArrived(loser, 3);
        Future<Integer> second = arrive(b, 3, 2);

        fixture.lose(loser.client());
        awaitWaiting(b, 3, 2); // also while the store still shows the ticket of the lost session
        assertThat(List.of(first, second)).noneMatch(Future::isDone);
        int third = actor().call(() -> barrier(b, 3).await());

        List<Integer> missing = List.of(third, Await.result(first), Await.result(second));
        assertThat(missing)
                .allMatch(count -> count <= 2)
                .containsOnlyOnce(0); // the last may be the one that comes again
    }

    @Test
    void await_clientCloses_failsAndNoLongerCounts() throws Exception {
        Client closing = client();
        Client b = client();
        Future<Integer> closed = arrive(closing, 3, 1);
        CompletableFuture<Integer> async = barrier(closing, 3).awaitAsync();
        awaitWaiting(b, 3, 2);

        closing.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(closed));
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.get(async));
        awaitWaiting(b, 3, 0);
        assertAllAreNeeded(b, 3);
    }

    @Test
    void await_clientIsClosed_failsAtOnce() throws Exception {
        Client closed = client();
        DistributedBarrier late = barrier(closed, 3);
        closed.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> actor().run(late::await));
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.get(late.awaitAsync()));
        awaitWaiting(client(), 3, 0);
    }

    @Test
    void await_whenAllAreThrough_leavesNothing() throws Exception {
        Client a = client();
        Client b = client();
        Future<Integer> first = arrive(a, 2, 1);
        assertThat(actor().call(() -> barrier(b, 2).await())).isZero();
        Await.result(first);

        awaitWaiting(a, 2, 0);
        Await.until("no name in use", () -> a.queues().admin().names(name).isEmpty());
    }
}
