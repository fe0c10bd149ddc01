package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.Deadlock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The queues are read one after the other, while threads move on. */
class DeadlockTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(4);

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient one = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient two = LockClient.over(new InMemoryTicketStore(server));
    private final Actor first = new Actor();
    private final Actor second = new Actor();
    private volatile Runnable beforeB = () -> {};

    @AfterEach
    void close() {
        one.close();
        two.close();
        first.close();
        second.close();
        server.close();
    }

    @Test
    void deadlocks_eachWaitsForTheOtherButNeverAtOnce_areNone() {
        first.run(one.lock("a")::lock);
        second.run(two.lock("b")::lock);
        Future<?> wantsA = second.begin(two.lock("a")::lock);
        awaitQueue("a", 2);
        CompletableFuture<Future<?>> wantsB = new CompletableFuture<>();
        beforeB = () -> {
            beforeB = () -> {};
            first.run(one.lock("a")::unlock);
            Await.result(wantsA);
            wantsB.complete(first.begin(one.lock("b")::lock));
            awaitQueue("b", 2);
        };

        try (LockClient looking = client(new MovingStore(), SHORT)) {
            assertThat(looking.admin().deadlocks()).isEmpty();
        }

        assertThat(wantsB).isDone();
        second.run(two.lock("b")::unlock);
        Await.result(wantsB.join());
    }

    @Test
    void deadlocks_oneThatLastsAndOneThatOnlySeemsSo_isTheOneThatLasts() {
        try (Actor third = new Actor();
                LockClient three = LockClient.over(new InMemoryTicketStore(server));
                LockClient looking = client(new MovingStore(), SHORT)) {
            first.run(one.lock("a")::lock);
            second.run(two.lock("b")::lock);
            third.run(three.lock("c")::lock);
            Future<?> wantsA = second.begin(two.lock("a")::lock);
            awaitQueue("a", 2);
            third.begin(three.lock("b")::lock);
            awaitQueue("b", 2);
            beforeB = () -> {
                beforeB = () -> {};
                first.run(one.lock("a")::unlock);
                Await.result(wantsA);
                second.begin(two.lock("c")::lock);
                awaitQueue("c", 2);
                first.begin(one.lock("b")::lock);
                awaitQueue("b", 3);
            };

            List<Deadlock> found = looking.admin().deadlocks();

            assertThat(found).hasSize(1);
            assertThat(found.get(0).circle())
                    .extracting(Deadlock.Waiting::wants)
                    .containsExactlyInAnyOrder("b", "c");
        }
    }

    /** What stands on the ticket is as old as the last heartbeat. */
    @Test
    void deadlocks_threadHasHandedOverWhatTheOtherWaitsFor_areNone() {
        CompletableFuture<Acquisition> waits = new CompletableFuture<>();
        LockListener listener = new LockListener() {
            @Override
            public void contended(Acquisition what) {
                waits.complete(what);
            }
        };
        try (Actor third = new Actor();
                LockClient ofBoth = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder()
                                .sessionTimeout(LONG)
                                .listener(listener)
                                .lockDefaults(LockOptions.builder()
                                        .handOverTime(Duration.ofMinutes(1))
                                        .build())
                                .build());
                LockClient looking = client(new InMemoryTicketStore(server), LONG)) {
            first.run(ofBoth.lock("a")::lock);
            Future<?> handedOver = second.begin(ofBoth.lock("a")::lock);
            Await.get(waits);
            third.run(two.lock("b")::lock);
            Future<?> wantsA = third.begin(two.lock("a")::lock);
            awaitQueue("a", 2);
            first.run(ofBoth.lock("a")::unlock);
            Await.result(handedOver);
            Future<?> wantsB = first.begin(ofBoth.lock("b")::lock);
            awaitQueue("b", 2);

            assertThat(looking.admin().deadlocks()).isEmpty();

            second.run(ofBoth.lock("a")::unlock);
            Await.result(wantsA);
            third.run(two.lock("a")::unlock);
            third.run(two.lock("b")::unlock);
            Await.result(wantsB);
            first.run(ofBoth.lock("b")::unlock);
        }
    }

    private static LockClient client(TicketStore store, Duration session) {
        return LockClient.over(
                store, ClientOptions.builder().sessionTimeout(session).build());
    }

    /** No question waits so long behind the others that its answer comes too late. */
    @Test
    void deadlocks_moreNamesThanTheStoreAnswersForWithinItsTimeout_isAnswered() {
        SimulatedTime time = new SimulatedTime();
        InMemoryServer slow = new InMemoryServer(time);
        LockClient looking = LockClient.over(
                new OneAfterTheOther(slow, time),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .storeTimeout(Duration.ofMillis(100))
                        .closeTimeout(Duration.ZERO)
                        .build());
        time.runUntilIdle();
        for (int i = 0; i < 200; i++) {
            looking.lock("name-" + i).acquireAsync();
        }
        time.runUntilIdle();

        Future<List<Deadlock>> found = first.start(looking.admin()::deadlocks);

        Await.until("the answer", () -> {
            time.advanceToNext(Duration.ofMillis(1));
            return found.isDone();
        });
        assertThat(Await.result(found)).isEmpty();
        looking.close();
        slow.close();
    }

    /** Needs a millisecond for each queue that it shows. */
    private static final class OneAfterTheOther extends ForwardingTicketStore {

        private static final Duration EACH = Duration.ofMillis(1);

        private final SimulatedTime time;
        private long free;

        OneAfterTheOther(InMemoryServer server, SimulatedTime time) {
            super(new InMemoryTicketStore(server));
            this.time = time;
            this.free = time.nanoTime();
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<TicketInfo>> inspect() {
                    CompletableFuture<Void> turn = new CompletableFuture<>();
                    time.schedule(untilTurn(), () -> turn.complete(null));
                    return turn.thenCompose(now -> super.inspect());
                }
            };
        }

        private synchronized Duration untilTurn() {
            long now = time.nanoTime();
            free = (free - now > 0 ? free : now) + EACH.toNanos();
            return Duration.ofNanos(free - now);
        }
    }

    private void awaitQueue(String name, int length) {
        Await.until("a waiter for " + name, () -> server.queueLength(name) == length);
    }

    /** Before the queue of b is read, and after that of a has been, threads move on. */
    private final class MovingStore extends ForwardingTicketStore {

        private volatile CompletionStage<?> last = CompletableFuture.completedFuture(null);

        MovingStore() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<TicketInfo>> inspect() {
                    if (name.equals("b")) {
                        Await.get(last);
                        beforeB.run();
                    }
                    CompletionStage<List<TicketInfo>> seen = super.inspect();
                    last = seen;
                    return seen;
                }
            };
        }
    }
}
