package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever has waited and goes on, because the wait is over or because he has ended it, has no place in a queue any more. */
class EndedFuturesTest {

    private static final String NAME = "ended";
    private static final String CONDITION = "wellkeeper:condition/ready/" + NAME;
    private static final String BARRIER = "wellkeeper:barrier/" + NAME;
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONGER_THAN_AN_ANSWER =
            Duration.ofMillis(300); // else the thread that answers is held up by what follows

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient other = client(Runnable::run);

    private LockClient client(Executor callbacks) {
        return LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder().callbackExecutor(callbacks).build());
    }

    @AfterEach
    void close() {
        other.close();
        server.close();
    }

    /** Runs each task on a thread of its own, and is so fast that this has happened before it returns. */
    private static void runFirst(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        try {
            thread.join(Await.patience().toMillis());
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** What follows on a future, and returns only when so many are left in the queue. */
    private <T> CompletableFuture<Void> whenLeft(CompletableFuture<T> wait, String queue, int others) {
        return wait.handle((value, ended) -> {
            Await.until("others alone in the queue", () -> server.queueLength(queue) == others);
            return null;
        });
    }

    @Test
    void barrier_timeIsUp_whatFollowsFindsThePlaceLeft() {
        try (LockClient client = client(EndedFuturesTest::runFirst)) {
            Await.get(whenLeft(client.barrier(NAME, 2).awaitAsync(LONGER_THAN_AN_ANSWER), BARRIER, 0));
        }
    }

    @Test
    void barrier_lonePartyEndsItsWaitAndComesAgain_isNotCountedTwice() {
        DistributedBarrier barrier = other.barrier(NAME, 2);
        CompletableFuture<Integer> first = barrier.awaitAsync();
        CompletableFuture<Integer> second =
                first.handle((missing, ended) -> barrier.awaitAsync(SHORT)).thenCompose(again -> again);

        first.completeExceptionally(new TimeoutException());

        assertThat(catchThrowable(() -> Await.get(second))).hasRootCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void anyFuture_completedByItsUser_whatFollowsFindsThePlaceLeft() throws Exception {
        Duration longTime = Duration.ofMinutes(1);
        try (LockHandle held = other.lock(NAME).acquire();
                LockClient client = client(EndedFuturesTest::runFirst)) {
            Map<String, Supplier<CompletableFuture<?>>> forms = new LinkedHashMap<>();
            forms.put("acquireAsync", () -> client.lock(NAME).acquireAsync());
            forms.put("tryAcquireAsync", () -> client.lock(NAME).tryAcquireAsync(longTime));
            forms.put("multi-lock", () -> client.all("before", NAME).acquireAsync());
            forms.put("timed multi-lock", () -> client.all(NAME, "later").tryAcquireAsync(longTime));
            forms.put("withLockAsync", () -> client.lock(NAME).withLockAsync(handle -> new CompletableFuture<>()));
            forms.forEach((form, begin) -> {
                CompletableFuture<?> wait = begin.get();
                Await.until("a waiter", () -> server.queueLength(NAME) == 2);
                CompletableFuture<Void> followed = whenLeft(wait, NAME, 1);

                wait.completeExceptionally(new TimeoutException(form));

                Await.get(followed);
            });
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** As when the thread for callbacks is busy, perhaps with what ends it. */
    @Test
    void anyFuture_completedByItsUserBeforeACallbackHandsOver_whatFollowsFindsItReleased() {
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        try (LockClient client = client(callbacks::add)) {
            Map<String, Supplier<CompletableFuture<?>>> forms = new LinkedHashMap<>();
            forms.put("acquireAsync", () -> client.lock(NAME).acquireAsync());
            forms.put("tryAcquireAsync", () -> client.lock(NAME).tryAcquireAsync(Duration.ZERO));
            forms.put("multi-lock", () -> client.all(NAME, "other").acquireAsync());
            forms.put("withLockAsync", () -> client.lock(NAME).withLockAsync(handle -> new CompletableFuture<>()));
            forms.forEach((form, begin) -> {
                CompletableFuture<?> wait = begin.get();
                Await.until("a callback to come", () -> !callbacks.isEmpty());
                CompletableFuture<Void> followed = whenLeft(wait, NAME, 0);

                wait.completeExceptionally(new TimeoutException(form));

                Await.get(followed);
                callbacks.clear();
            });
        }
    }

    /** What keeps the thread for callbacks busy may wait for the same lock. */
    @Test
    void awaitAsync_noCallbackComes_givesTheLockUpAndAcquiresItAgain() throws Exception {
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        try (LockClient client = client(callbacks::add)) {
            LockHandle held = client.lock(NAME).acquire();
            CompletableFuture<LockHandle> wait =
                    client.lock(NAME).newCondition("ready").awaitAsync(held);

            try (LockHandle next = Await.get(other.lock(NAME).acquireAsync())) {
                Await.get(other.lock(NAME).newCondition("ready").signalAsync(next));
                Await.until("it wants the lock again", () -> server.queueLength(NAME) == 2);
            }
            runUntil(wait::isDone, callbacks);
            wait.join().close();
        }
    }

    @Test
    void awaitAsync_completedByItsUser_whatFollowsFindsThePlaceLeft() throws Exception {
        LockHandle held = other.lock(NAME).acquire();
        CompletableFuture<LockHandle> wait =
                other.lock(NAME).newCondition("ready").awaitAsync(held);
        Await.until("the wait", () -> server.queueLength(CONDITION) == 1 && !held.isHeld());
        CompletableFuture<Void> followed = whenLeft(wait, CONDITION, 0);

        wait.completeExceptionally(new TimeoutException());

        Await.get(followed);
    }

    @Test
    void awaitAsync_completedByItsUserWhileItAcquiresAgain_whatFollowsFindsThePlaceLeft() throws Exception {
        try (LockClient client = client(Runnable::run)) {
            LockHandle held = client.lock(NAME).acquire();
            CompletableFuture<LockHandle> others = other.lock(NAME).acquireAsync();
            Await.until("somebody who has the lock next", () -> server.queueLength(NAME) == 2);
            CompletableFuture<LockHandle> wait =
                    client.lock(NAME).newCondition("ready").awaitAsync(held, Duration.ZERO);
            Await.get(others);
            Await.until("the wait for the lock", () -> server.queueLength(NAME) == 2);
            CompletableFuture<Void> followed = whenLeft(wait, NAME, 1);

            wait.completeExceptionally(new TimeoutException());

            Await.get(followed);
        }
    }

    @Test
    void awaitAsync_signalledAndCompletedByItsUserBeforeACallbackHandsOver_whatFollowsFindsItReleased()
            throws Exception {
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        try (LockClient client = client(callbacks::add)) {
            LockHandle held = client.lock(NAME).acquire();
            CompletableFuture<LockHandle> wait =
                    client.lock(NAME).newCondition("ready").awaitAsync(held);
            runUntil(() -> server.queueLength(CONDITION) == 1 && !held.isHeld(), callbacks);
            DistributedLock lock = other.lock(NAME);
            lock.lock();
            lock.newCondition("ready").signal();
            lock.unlock();
            int posted = server.requests(Request.POST);
            runUntil(() -> server.requests(Request.POST) > posted, callbacks); // the signal has been answered
            Await.until("a callback to come", () -> !callbacks.isEmpty());
            CompletableFuture<Void> followed = whenLeft(wait, NAME, 0);

            wait.completeExceptionally(new TimeoutException());

            Await.get(followed);
        }
    }

    /** What is there afterwards has come after the condition. */
    private static void runUntil(BooleanSupplier condition, Queue<Runnable> callbacks) {
        Await.until("enough callbacks", () -> {
            Runnable first = callbacks.peek();
            boolean enough = condition.getAsBoolean();
            if (!enough && first != null) {
                callbacks.remove();
                first.run();
            }
            return enough;
        });
    }
}
