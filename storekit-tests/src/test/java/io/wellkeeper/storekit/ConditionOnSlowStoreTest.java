package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits on a condition that are shorter than a round trip, or end while the store says nothing. */
class ConditionOnSlowStoreTest {

    private static final String NAME = "slow";
    private static final String CONDITION = "ready";
    private static final Duration ONE_WAY = Duration.ofMillis(25);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(2);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryTicketStore connection = new InMemoryTicketStore(server);
    private final LockClient a = client(connection);
    private final LockClient b = client(new InMemoryTicketStore(server));

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .sessionTimeout(Duration.ofSeconds(60))
                        .storeTimeout(STORE_TIMEOUT)
                        .closeTimeout(Duration.ZERO)
                        .build());
    }

    @AfterEach
    void nothingIsLeft() {
        a.close();
        b.close();
        time.advance(Duration.ofSeconds(1));
        assertThat(server.leftovers()).isEmpty();
    }

    private static DistributedCondition condition(LockClient client) {
        return client.lock(NAME).newCondition(CONDITION);
    }

    private LockHandle acquire(LockClient client) {
        CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
        time.advance(Duration.ofSeconds(1));
        assertThat(acquired).isCompleted();
        return acquired.join();
    }

    private LockHandle slow(LockHandle handle) {
        server.delay(ONE_WAY);
        return handle;
    }

    /** Keeps waiting a little, until the time is over. */
    private CompletableFuture<LockHandle> waitAgainAndAgain(LockHandle held, long until) {
        return time.nanoTime() - until >= 0
                ? CompletableFuture.completedFuture(held)
                : condition(a).awaitAsync(held, SHORT).thenCompose(again -> waitAgainAndAgain(again, until));
    }

    @Test
    void awaitAsync_shorterThanARoundTrip_strangersGetIn() {
        LockHandle held = slow(acquire(a));
        CompletableFuture<LockHandle> waiting =
                waitAgainAndAgain(held, time.nanoTime() + Duration.ofSeconds(5).toNanos());
        CompletableFuture<LockHandle> stranger = b.lock(NAME).acquireAsync();

        time.advance(Duration.ofSeconds(1));

        assertThat(stranger).isCompleted();
        stranger.join().close();
        time.advance(Duration.ofSeconds(6));
        waiting.join().close();
    }

    @Test
    void awaitAsync_storeIsSilent_nothingPilesUp() {
        LockHandle held = acquire(a);
        server.freeze();
        int before = server.requests();

        CompletableFuture<LockHandle> waiting =
                waitAgainAndAgain(held, time.nanoTime() + Duration.ofSeconds(10).toNanos());
        time.advance(Duration.ofSeconds(10));

        assertThat(server.requests() - before).isLessThanOrEqualTo(5); // two tickets, one notice, two removals
        server.unfreeze();
        time.advance(Duration.ofSeconds(1));
        waiting.join().close();
    }

    @Test
    void awaitAsync_noTime_asksNothingOfTheCondition() {
        LockHandle held = acquire(a);
        int takes = server.requests(Request.TAKE);
        int others = server.requests() - takes;

        CompletableFuture<LockHandle> waiting = condition(a).awaitAsync(held, Duration.ZERO);
        time.runUntilIdle();

        waiting.join().close();
        assertThat(server.requests(Request.TAKE) - takes).isEqualTo(1); // of the lock
        assertThat(server.requests() - server.requests(Request.TAKE) - others).isLessThanOrEqualTo(2);
    }

    /** A ticket that comes too late gives the signal that it was counted for to the next one. */
    @Test
    void signal_waitEndedBeforeItsTicketWasDrawn_goesToTheNext() {
        LockHandle held = slow(acquire(a));
        CompletableFuture<LockHandle> hasty = condition(a).awaitAsync(held, SHORT);
        LockHandle patient = acquire(b);
        CompletableFuture<LockHandle> waiting = condition(b).awaitAsync(patient);
        time.advance(Duration.ofSeconds(1));

        LockHandle signaller = hasty.join();
        condition(a).signalAsync(signaller);
        time.advance(Duration.ofSeconds(1));
        signaller.close();
        time.advance(Duration.ofSeconds(1));

        waiting.join().close();
    }

    @Test
    void awaitAsync_lockIsLostWhileTheStoreIsSilent_saysSo() {
        LockHandle held = acquire(a);
        server.freeze();
        CompletableFuture<LockHandle> waiting = condition(a).awaitAsync(held);

        time.advance(Duration.ofSeconds(60));

        assertThat(waiting).isCompletedExceptionally();
        assertFails(waiting, LockLostException.class);
        server.unfreeze();
    }

    /** Its first look comes when others have the lock: the signals that it finds are theirs. */
    @Test
    void signal_lateLookOfAWaitThatHasEnded_leavesTheSignal() {
        LockClient c = client(new Reluctant());
        LockHandle held = acquire(c);
        server.delay(Duration.ofMillis(1));
        CompletableFuture<Void> hasty =
                condition(c).awaitAsync(held, Duration.ofMillis(1)).thenAccept(LockHandle::close);
        CompletableFuture<LockHandle> patient = b.lock(NAME).acquireAsync().thenCompose(condition(b)::awaitAsync);
        CompletableFuture<Void> signalled = a.lock(NAME)
                .acquireAsync()
                .thenCompose(handle -> condition(a).signalAsync(handle).thenRun(handle::close));
        time.advance(Duration.ofMillis(50));
        assertThat(signalled).isCompleted();
        assertThat(hasty).isNotDone();

        time.advance(Duration.ofSeconds(1));

        assertThat(patient.isDone()).isTrue();
        patient.join().close();
        assertThat(hasty).isCompleted();
        c.close();
    }

    /** Whatever the moment, and however it is done: the lock comes free, and the signal reaches one who still waits. */
    @Test
    void awaitAsync_completedByItsUserAtAnyMoment_losesNothing() {
        LockHandle someHandle = acquire(a);
        someHandle.close();
        List<Predicate<CompletableFuture<LockHandle>>> ways = List.of(
                wait -> wait.cancel(false),
                wait -> wait.completeExceptionally(new TimeoutException()),
                wait -> wait.complete(someHandle));
        server.delay(Duration.ofMillis(1));
        for (Predicate<CompletableFuture<LockHandle>> way : ways) {
            for (int moment = 0; !completeAfter(moment, way); moment++) {}
        }
    }

    /** A signal that was taken already is passed on when the connection is back. */
    @Test
    void awaitAsync_cancelledAtAnyMomentAsTheConnectionBreaks_losesNothing() {
        server.delay(Duration.ofMillis(1));
        Predicate<CompletableFuture<LockHandle>> cancelAndBreak = wait -> {
            boolean gaveUp = wait.cancel(false);
            connection.cut();
            connection.mend();
            return gaveUp;
        };
        for (int moment = 0; !completeAfter(moment, cancelAndBreak); moment++) {}
    }

    /** A signal that was taken already is passed on when the store answers again, however late that is. */
    @Test
    void awaitAsync_cancelledAtAnyMomentAsTheStoreFallsSilent_losesNothing() {
        server.delay(Duration.ofMillis(1));
        Predicate<CompletableFuture<LockHandle>> cancelAndFallSilent = wait -> {
            boolean gaveUp = wait.cancel(false);
            server.freeze();
            time.advance(STORE_TIMEOUT.multipliedBy(2));
            server.unfreeze();
            return gaveUp;
        };
        for (int moment = 0; !completeAfter(moment, cancelAndFallSilent); moment++) {}
    }

    /** Signals until it is known that this has been done. */
    private static CompletableFuture<Void> signal(LockClient client, LockHandle held) {
        return condition(client)
                .signalAsync(held)
                .handle((done, unknown) ->
                        unknown == null ? CompletableFuture.<Void>completedFuture(null) : signal(client, held))
                .thenCompose(signalled -> signalled);
    }

    /** @return whether the wait had come to its end before */
    private boolean completeAfter(int events, Predicate<CompletableFuture<LockHandle>> way) {
        LockHandle held = acquire(a);
        CompletableFuture<LockHandle> first = condition(a).awaitAsync(held);
        CompletableFuture<LockHandle> second = b.lock(NAME).acquireAsync().thenCompose(condition(b)::awaitAsync);
        CompletableFuture<Void> signalled = b.lock(NAME)
                .acquireAsync()
                .thenCompose(handle -> signal(b, handle).thenRun(handle::close));
        for (int i = 0; i < events; i++) {
            time.advanceToNext(Duration.ofMillis(100));
        }
        boolean gaveUp = way.test(first);
        held.close();
        time.advance(Duration.ofSeconds(1));
        assertThat(signalled).isCompleted();
        if (!gaveUp) {
            first.join().close();
            LockHandle signaller = acquire(b);
            condition(b).signalAsync(signaller).thenRun(signaller::close);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(second.isDone()).as("after %d events", events).isTrue();
        second.join().close();
        acquire(b).close();
        return !gaveUp;
    }

    /** Whoever has lost its ticket, and only then is told that its answer came too late, leaves the next signal to others. */
    @Test
    void awaitAsync_sessionEndsWhileTheSignalIsAnswered_leavesTheNextOne() {
        Hesitant hesitant = new Hesitant();
        LockClient c = client(hesitant);
        CompletableFuture<LockHandle> first = condition(c).awaitAsync(acquire(c));
        CompletableFuture<LockHandle> second = condition(b).awaitAsync(acquire(b));
        CompletableFuture<LockHandle> third = condition(a).awaitAsync(acquire(a));
        LockHandle signaller = acquire(b);
        hesitant.hesitates = true;
        condition(b).signalAsync(signaller).thenRun(signaller::close);
        time.advance(Duration.ofMillis(100));
        assertThat(hesitant.hesitates).isFalse(); // it has the lock again, and takes the signal off

        hesitant.store().expireSessions();
        time.advance(Duration.ofMillis(500));
        assertThat(second).isCompleted(); // and has taken it off
        second.join().close();
        connection.cut();
        CompletableFuture<Void> signalled = b.lock(NAME)
                .acquireAsync()
                .thenCompose(handle -> condition(b).signalAsync(handle).thenRun(handle::close));
        time.advance(Duration.ofMillis(100));
        assertThat(signalled).isCompleted();
        hesitant.tooLate.complete(false);
        time.advance(Duration.ofMillis(100));
        connection.mend();
        time.advance(Duration.ofSeconds(1));

        assertThat(third.isDone()).isTrue();
        third.join().close();
        assertThat(first.isDone()).isTrue();
        c.close();
    }

    /** Nobody acquires the lock for a future that fails, and the signal reaches the next one. */
    @Test
    void awaitAsync_storeRefusesWhenTheLockIsGivenUp_saysSo() {
        Refusing refusing = new Refusing();
        LockClient c = client(refusing);
        LockHandle held = acquire(c);
        CompletableFuture<LockHandle> first = condition(c).awaitAsync(held);
        CompletableFuture<LockHandle> second = condition(b).awaitAsync(acquire(b));
        LockHandle signaller = acquire(b);
        assertThat(held.isHeld()).isFalse();
        refusing.refuses = true;

        condition(b).signalAsync(signaller).thenRun(signaller::close);
        time.advance(Duration.ofSeconds(1));

        assertFails(first, LockStoreException.class);
        assertThat(second).isCompleted();
        second.join().close();
        acquire(b).close();
        c.close();
    }

    /** It asks again for as long as the store timeout, after pauses, and then no more. */
    @Test
    void signalAsync_numberIsChangedByOthersAgainAndAgain_givesUp() {
        LockClient c = client(new Unwilling());
        CompletableFuture<LockHandle> waiting = condition(b).awaitAsync(acquire(b));
        LockHandle held = acquire(c);
        server.delay(Duration.ofMillis(1));

        CompletableFuture<Void> signalled = condition(c).signalAsync(held);
        time.advance(STORE_TIMEOUT.plusMillis(10));

        assertFails(signalled, LockStoreException.class);
        int requests = server.requests();
        assertThat(requests).isLessThan(200);
        time.advance(STORE_TIMEOUT);
        assertThat(server.requests()).isEqualTo(requests);
        waiting.cancel(false);
        held.close();
        c.close();
    }

    private static void assertFails(CompletableFuture<?> future, Class<? extends Exception> how) {
        assertThat(future)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(how);
    }

    /** Says of each notice that it is another by now. */
    private final class Unwilling extends ForwardingTicketStore {

        Unwilling() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return queue.notice().thenApply(unchanged -> false);
                }
            };
        }
    }

    /** Says of one notice only later that it could not be put up. */
    private final class Hesitant extends ForwardingTicketStore {

        private final CompletableFuture<Boolean> tooLate = new CompletableFuture<>();
        private boolean hesitates; // with the next one

        Hesitant() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    boolean late = hesitates;
                    hesitates = false;
                    return late ? tooLate : queue.post(seen, text);
                }
            };
        }
    }

    /** Refuses to show notices from some moment on. */
    private final class Refusing extends ForwardingTicketStore {

        private boolean refuses;

        Refusing() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    return refuses
                            ? CompletableFuture.failedFuture(new StoreRefusalException("not for you"))
                            : queue.notice();
                }
            };
        }
    }

    /** Cannot read a notice the first time. */
    private final class Reluctant extends ForwardingTicketStore {

        private boolean refused;

        Reluctant() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    boolean first = !refused;
                    refused = true;
                    return queue.notice()
                            .thenCompose(notice -> first
                                    ? CompletableFuture.failedFuture(new LockStoreException("not now"))
                                    : CompletableFuture.completedFuture(notice));
                }
            };
        }
    }
}
