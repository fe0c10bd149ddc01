package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever is the first in a queue gets in, although others come and go faster than the store answers. */
class StarvationTest {

    private static final String NAME = "crowded";
    private static final Duration A_WHILE = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(5);
    private static final Duration ONE_WAY = Duration.ofMillis(5);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(2);
    private static final Duration TRY = Duration.ofMillis(15);
    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client(TicketStore store) {
        LockClient made = LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
        time.advance(A_WHILE);
        return made;
    }

    private LockClient client() {
        return client(new InMemoryTicketStore(server));
    }

    @Test
    void acquire_othersOfItsClientTryBehindItAllTheTime_firstGetsIn() {
        assertFirstGetsIn(
                client -> client.semaphore(NAME, 2).acquireAsync(2),
                (client, patience) -> client.semaphore(NAME, 2).tryAcquireAsync(2, patience));
    }

    @Test
    void writeLock_othersOfItsClientTryBehindItAllTheTime_firstGetsIn() {
        assertFirstGetsIn(
                client -> client.readWriteLock(NAME, OWN_NUMBERS).writeLock().acquireAsync(),
                (client, patience) ->
                        client.readWriteLock(NAME, OWN_NUMBERS).writeLock().tryAcquireAsync(patience));
    }

    private interface Acquire {
        CompletableFuture<? extends LockHandle> by(LockClient client);
    }

    private void assertFirstGetsIn(Acquire acquire, BiFunction<LockClient, Duration, ?> tryToAcquire) {
        LockClient holder = client();
        LockClient client = client();
        server.delay(ONE_WAY);
        CompletableFuture<? extends LockHandle> held = acquire.by(holder);
        time.advance(A_WHILE);
        CompletableFuture<? extends LockHandle> first = acquire.by(client);
        time.advance(A_WHILE);
        held.join().close();

        for (Duration passed = Duration.ZERO; passed.compareTo(LONG) < 0; passed = passed.plus(BETWEEN_TRIES)) {
            tryToAcquire.apply(client, TRY);
            time.advance(BETWEEN_TRIES);
        }

        assertThat(first.isDone()).as("while all was free, for %s", LONG).isTrue();
    }

    @Test
    void await_othersBehindItAreSignalledAllTheTime_firstGoesOn() {
        LockClient far = client(new Far());
        LockClient near = client();
        LockClient signalling = client();
        server.delay(Duration.ofMillis(1));
        CompletableFuture<LockHandle> held = far.lock(NAME).acquireAsync();
        time.advance(A_WHILE);
        CompletableFuture<LockHandle> first = condition(far).awaitAsync(held.join());
        time.advance(A_WHILE);
        AtomicInteger othersWentOn = new AtomicInteger();
        near.lock(NAME).acquireAsync().thenAccept(own -> awaitAgain(condition(near), own, othersWentOn));
        time.advance(A_WHILE);

        AtomicBoolean enough = new AtomicBoolean();
        signalAgain(signalling.lock(NAME), condition(signalling), enough);
        time.advance(LONG);
        enough.set(true);

        assertThat(othersWentOn.get()).as("others that went on").isPositive();
        assertThat(first.isDone()).as("while %s others went on", othersWentOn).isTrue();
    }

    private static DistributedCondition condition(LockClient client) {
        return client.lock(NAME).newCondition("ready");
    }

    private static void awaitAgain(DistributedCondition condition, LockHandle held, AtomicInteger wentOn) {
        condition.awaitAsync(held).thenAccept(again -> {
            wentOn.incrementAndGet();
            awaitAgain(condition, again, wentOn);
        });
    }

    private static void signalAgain(DistributedLock lock, DistributedCondition condition, AtomicBoolean enough) {
        if (!enough.get()) {
            lock.acquireAsync()
                    .thenAccept(held -> condition.signalAsync(held).whenComplete((done, failure) -> {
                        held.close();
                        signalAgain(lock, condition, enough);
                    }));
        }
    }

    /** What it shows takes long to come. */
    private final class Far extends ForwardingTicketStore {

        Far() {
            super(new InMemoryTicketStore(server));
        }

        private <T> CompletionStage<T> late(CompletionStage<T> answer) {
            CompletableFuture<Void> arrived = new CompletableFuture<>();
            answer.whenComplete((value, failure) -> time.schedule(Duration.ofMillis(40), () -> arrived.complete(null)));
            return arrived.thenCompose(now -> answer);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return late(super.tickets());
                }

                @Override
                public CompletionStage<Notice> notice() {
                    return late(super.notice());
                }
            };
        }
    }
}
