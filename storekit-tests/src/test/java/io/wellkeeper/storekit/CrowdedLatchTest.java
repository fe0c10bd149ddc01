package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
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
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a latch costs when many of one client count it down, or wait for it. */
class CrowdedLatchTest {

    private static final String NAME = "crowded";
    private static final int MANY = 40;
    private static final int READS_OF_A_CHANGE = 12;
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    @Test
    void countDown_byManyThreadsAtOnce_isAFewChanges() {
        AtomicInteger begun = new AtomicInteger();
        List<Actor> actors = Stream.generate(Actor::new).limit(MANY).toList();
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            HeldReplies store = new HeldReplies(new InMemoryTicketStore(server));
            try (LockClient client = LockClient.over(store);
                    Actor first = new Actor()) {
                DistributedLatch latch = other.latch(NAME);
                latch.trySetCount(MANY + 2);
                int before = server.requests(Request.POST);
                Future<?> counting = first.begin(client.latch(NAME)::countDown);
                Await.until("the first has counted", () -> latch.getCount() == MANY + 1);

                List<Thread> threads = new ArrayList<>();
                List<Future<?>> all = new ArrayList<>();
                for (Actor actor : actors) {
                    threads.add(actor.call(Thread::currentThread));
                    all.add(actor.begin(() -> {
                        begun.incrementAndGet();
                        client.latch(NAME).countDown();
                    }));
                }
                Await.until(
                        "all wait, or have counted",
                        () -> begun.get() == MANY
                                && threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
                store.letGo();

                Await.result(counting);
                all.forEach(Await::result);
                assertThat(latch.getCount()).isEqualTo(1);
                assertThat(server.requests(Request.POST) - before).isLessThan(MANY / 4);
            }
        } finally {
            actors.forEach(Actor::close);
        }
    }

    /** Until it is told otherwise, the changes of a notice are made, and the replies are held back. */
    private static final class HeldReplies extends ForwardingTicketStore {

        private final CompletableFuture<Void> free = new CompletableFuture<>();

        HeldReplies(InMemoryTicketStore store) {
            super(store);
        }

        void letGo() {
            free.complete(null);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return super.post(seen, text).thenCombine(free, (posted, now) -> posted);
                }
            };
        }
    }

    @Test
    void awaitAsync_manyWait_eachChangeIsReadByFew() {
        SimulatedTime time = new SimulatedTime();
        InMemoryServer server = new InMemoryServer(time);
        ClientOptions options = ClientOptions.builder()
                .time(time)
                .callbackExecutor(time.executor())
                .build();
        LockClient client = LockClient.over(new InMemoryTicketStore(server), options);
        LockClient other = LockClient.over(new InMemoryTicketStore(server), options);
        time.advance(A_WHILE);
        time.call(() -> other.latch(NAME).trySetCount(2));
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(client.latch(NAME).awaitAsync());
        }
        time.advance(A_WHILE);
        int before = server.requests(Request.NOTICE);

        countDown(time, other);

        assertThat(server.requests(Request.NOTICE) - before).isLessThan(READS_OF_A_CHANGE);
        assertThat(all).noneMatch(CompletableFuture::isDone);
        countDown(time, other);
        assertThat(all).allMatch(CompletableFuture::isDone);
        server.close();
    }

    /** The alarms of the client come late, as where many others are due. */
    @Test
    void awaitAsync_countIsSetAnewRightAfterManyBeganToWait_theyWaitForTheFirstOne() {
        SimulatedTime time = new SimulatedTime();
        InMemoryServer server = new InMemoryServer(time);
        Time late = new Time() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Registration schedule(Duration delay, Runnable task) {
                return time.schedule(delay.plusMillis(1), task);
            }
        };
        ClientOptions options = ClientOptions.builder()
                .time(late)
                .callbackExecutor(time.executor())
                .build();
        LockClient client = LockClient.over(new InMemoryTicketStore(server), options);
        time.advance(A_WHILE);
        time.call(() -> client.latch(NAME).trySetCount(1));
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(client.latch(NAME).awaitAsync());
        }

        countDown(time, client);
        assertThat(time.call(() -> client.latch(NAME).trySetCount(1))).isTrue();
        time.advance(A_WHILE);

        assertThat(all).allMatch(CompletableFuture::isDone);
        server.close();
    }

    private static void countDown(SimulatedTime time, LockClient client) {
        time.call(() -> {
            client.latch(NAME).countDown();
            return true;
        });
        time.runUntilIdle();
    }
}
