package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What many waiters of one client cost, each of which has a ticket that may be replaced by a milder one. */
class ManyWaitersTest {

    private static final String NAME = "many";
    private static final int WAITERS = 200;
    private static final int REQUESTS_PER_WAITER = 10;
    private static final int PERMITS = 10;
    private static final int MANY_HOLDERS = 64;
    private static final int SEVERAL = 4;
    private static final int QUESTIONS_OF_ALL = 20; // by which many find out who is left
    private static final Duration A_WHILE = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);
    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicLong pause = new AtomicLong(); // in nanoseconds
    private final AtomicLong deepest = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client() {
        return client(new InMemoryTicketStore(server));
    }

    private LockClient client(TicketStore store) {
        LockClient made = LockClient.over(
                store,
                ClientOptions.builder()
                        .time(new PausedTime())
                        .sessionTimeout(RARE_BEATS)
                        .callbackExecutor(time.executor())
                        .build());
        time.advance(A_WHILE);
        return made;
    }

    @Test
    void acquire_manyOfOneClient_eachCostsTheSame() {
        assertEachCostsTheSame(client -> client.semaphore(NAME, 2).acquireAsync(2));
    }

    @Test
    void acquire_moreThanHaveNumbersAtATime_getInFirstComeFirstServed() {
        List<CompletableFuture<Permits>> all = manyBehindOne(client());

        assertThat(server.queueLength(NAME)).isLessThan(WAITERS);
        for (CompletableFuture<Permits> one : all) {
            assertThat(one).isCompleted();
            assertThat(all.stream().filter(CompletableFuture::isDone).skip(all.indexOf(one) + 1L))
                    .isEmpty();
            one.join().close();
            time.advance(A_WHILE);
        }
        assertThat(server.queueLength(NAME)).isZero();
    }

    @Test
    void tryAcquire_timeOfThoseWithoutNumbersIsUp_theyAreRefusedAndTheirPlacesGo() {
        LockClient client = client();
        DistributedSemaphore semaphore = client.semaphore(NAME, 1);
        List<CompletableFuture<Permits>> all = manyBehindOne(client);
        CompletableFuture<Optional<Permits>> timed = semaphore.tryAcquireAsync(1, LIMIT);
        CompletableFuture<Permits> last = semaphore.acquireAsync(1);

        time.advance(LIMIT.plus(A_WHILE));

        assertThat(timed).isCompletedWithValue(Optional.empty());
        all.subList(1, WAITERS).forEach(one -> one.cancel(false));
        all.get(0).join().close();
        time.advance(A_WHILE);
        assertThat(last).isCompleted();
        assertThat(server.queueLength(NAME)).isEqualTo(1);
    }

    @Test
    void close_manyWithoutNumbers_fails() {
        LockClient client = client();
        List<CompletableFuture<Permits>> all = manyBehindOne(client);

        client.close();

        time.advance(A_WHILE);
        assertThat(all.subList(1, WAITERS))
                .allSatisfy(one -> assertThat(one)
                        .isCompletedExceptionally()
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(LockClientClosedException.class));
        assertThat(server.queueLength(NAME)).isZero();
    }

    @Test
    void acquire_numberOfPermitsHasNotChanged_whoIsLetInAsksForNothingMore() {
        DistributedSemaphore semaphore = client().semaphore(NAME, 1);
        CompletableFuture<Permits> first = semaphore.acquireAsync(1);
        time.advance(A_WHILE);
        CompletableFuture<Permits> second = semaphore.acquireAsync(1);
        time.advance(A_WHILE);
        int before = server.requests();

        first.join().close();

        time.advance(A_WHILE);
        assertThat(second).isCompleted();
        assertThat(server.requests() - before).isEqualTo(2); // the permit is given back, and the watch on the notice
    }

    /** Whom each of them is to watch next, another of the same client watches already. */
    @Test
    void close_oneOfManyPermits_thoseWhoStillWaitAskNothing() {
        assertThat(questionsWhileSomeGiveBack(PERMITS, 1)).isLessThan(PERMITS);
    }

    /** Whoever has had several may have kept some: so all ask who watch him, most of them together. */
    @Test
    void close_severalPermitsAtOnce_thoseWhoStillWaitAskTogether() {
        assertThat(questionsWhileSomeGiveBack(MANY_HOLDERS, SEVERAL)).isLessThan(PERMITS * QUESTIONS_OF_ALL);
    }

    /**
     * The last ten holders give back what they have.
     *
     * @param each how many permits they have, and how many at most is wanted by each of those who wait
     */
    private int questionsWhileSomeGiveBack(int holders, int each) {
        DistributedSemaphore holder = client().semaphore(NAME, holders * each);
        List<CompletableFuture<Permits>> held = new ArrayList<>();
        for (int i = 0; i < holders; i++) {
            held.add(holder.acquireAsync(each));
        }
        time.advance(A_WHILE);
        DistributedSemaphore semaphore = client(new Asked()).semaphore(NAME, holders * each);
        List<CompletableFuture<Permits>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            waiting.add(semaphore.acquireAsync(1 + i % each));
        }
        time.advance(A_WHILE);
        asked.set(0);

        for (int i = holders - 1; i >= holders - PERMITS; i--) { // who came last is ahead of most of them
            held.get(i).join().close();
            time.advance(A_WHILE);
        }

        int served = 0;
        for (int wanted = 0; wanted + 1 + served % each <= PERMITS * each; served++) {
            wanted += 1 + served % each;
        }
        assertThat(waiting).filteredOn(CompletableFuture::isDone).hasSize(served);
        return asked.get();
    }

    /** The first of them has the only permit. */
    private List<CompletableFuture<Permits>> manyBehindOne(LockClient client) {
        DistributedSemaphore semaphore = client.semaphore(NAME, 1);
        List<CompletableFuture<Permits>> all = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            all.add(semaphore.acquireAsync(1));
        }
        time.advance(A_WHILE);
        return all;
    }

    @Test
    void writeLock_manyNumbersOfOneClient_eachCostsTheSame() {
        assertEachCostsTheSame(
                client -> client.readWriteLock(NAME, OWN_NUMBERS).writeLock().acquireAsync());
    }

    @Test
    void close_holderAndManyWhoWait_nobodyIsLetInOnTheWay() {
        LockClient client = client(new Measured());
        for (int i = 0; i < WAITERS; i++) {
            client.lock(NAME, OWN_NUMBERS).acquireAsync();
        }
        time.advance(A_WHILE);

        assertIsNotDeep(client::close);
    }

    /** As after a pause of the process: somebody leaves before the alarms of those whose time is up have gone off. */
    @Test
    void tryAcquireAsync_timeOfManyMultiLocksIsUpAtOnce_theyGiveUpOneAfterTheOther() {
        LockClient client = client(new Measured());
        CompletableFuture<LockHandle> held = client.lock(NAME, OWN_NUMBERS).acquireAsync();
        time.advance(A_WHILE);
        DistributedMultiLock several =
                client.all(List.of(client.lock(NAME, OWN_NUMBERS), client.lock(NAME + "/2", OWN_NUMBERS)));
        List<CompletableFuture<Optional<MultiLockHandle>>> tries = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            tries.add(several.tryAcquireAsync(LIMIT));
        }
        time.advance(A_WHILE);
        pause.set(LIMIT.toNanos());

        assertIsNotDeep(held.join()::close);

        time.advance(A_WHILE);
        assertThat(tries).allSatisfy(one -> assertThat(one).isCompletedWithValue(Optional.empty()));
        assertThat(server.queueLength(NAME)).isZero();
    }

    /** Each of those who wait is told that the number of signals has changed: once by the signal, once by its answer. */
    @Test
    void signalAsync_manyWait_costsTwoRequestsForEach() {
        List<CompletableFuture<LockHandle>> waits = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            DistributedLock lock = client().lock(NAME);
            CompletableFuture<LockHandle> held = lock.acquireAsync();
            time.advance(A_WHILE);
            waits.add(lock.newCondition("changed").awaitAsync(held.join()));
            time.advance(A_WHILE);
        }
        DistributedLock lock = client().lock(NAME);
        signal(lock);
        waits.get(0).join().close(); // from now on each watches those ahead of it
        time.advance(A_WHILE);
        int before = server.requests();

        signal(lock);

        assertThat(waits.get(1)).isCompleted();
        assertThat(waits.subList(2, WAITERS)).noneMatch(CompletableFuture::isDone);
        assertThat(server.requests() - before).isBetween(2 * (WAITERS - 2), 2 * WAITERS + 20);
    }

    private void signal(DistributedLock lock) {
        CompletableFuture<LockHandle> held = lock.acquireAsync();
        time.advance(A_WHILE);
        lock.newCondition("changed").signalAsync(held.join());
        time.advance(A_WHILE);
        held.join().close();
        time.advance(A_WHILE);
    }

    private void assertIsNotDeep(Runnable release) {
        long depth = depth();
        deepest.set(depth);

        release.run();

        assertThat(deepest.get() - depth).isBetween(1L, WAITERS - 1L);
    }

    private static long depth() {
        return StackWalker.getInstance().walk(Stream::count);
    }

    /** Counts how often somebody asks who is in a queue. */
    private final class Asked extends ForwardingTicketStore {

        Asked() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    asked.incrementAndGet();
                    return super.tickets();
                }
            };
        }
    }

    /** Notes from how deep within other calls a ticket is removed. */
    private final class Measured extends ForwardingTicketStore {

        Measured() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    deepest.accumulateAndGet(depth(), Math::max);
                    return super.remove(ticket);
                }
            };
        }
    }

    /** What the clock says goes on while the process is paused, but no alarm goes off. */
    private final class PausedTime implements Time {

        @Override
        public long nanoTime() {
            return time.nanoTime() + pause.get();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }
    }

    private void assertEachCostsTheSame(
            Function<LockClient, ? extends CompletableFuture<? extends LockHandle>> acquire) {
        CompletableFuture<? extends LockHandle> held = acquire.apply(client());
        time.advance(A_WHILE);
        LockClient client = client();
        List<CompletableFuture<Void>> visits = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            visits.add(acquire.apply(client).thenAccept(LockHandle::close));
        }
        time.advance(A_WHILE);
        int before = server.requests();

        held.join().close();
        time.advance(A_WHILE);

        assertThat(visits).allSatisfy(visit -> assertThat(visit).isCompleted());
        assertThat(server.requests() - before).isLessThan(WAITERS * REQUESTS_PER_WAITER);
    }
}
