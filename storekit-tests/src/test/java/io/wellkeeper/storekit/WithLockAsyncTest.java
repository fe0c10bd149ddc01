package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link DistributedLock#withLockAsync} releases the lock, whatever the action and its user do. */
class WithLockAsyncTest {

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = client(Runnable::run);
    private final LockClient other = client(Runnable::run);
    private final DistributedLock lock = client.lock("a");
    private final CompletableFuture<LockHandle> begun = new CompletableFuture<>();
    private final CompletableFuture<String> action = new CompletableFuture<>();

    private LockClient client(Executor callbacks) {
        return LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder().callbackExecutor(callbacks).build());
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
    }

    private CompletableFuture<String> begin(LockHandle handle) {
        begun.complete(handle);
        return action;
    }

    private void assertComesFree() {
        Await.until("release", () -> server.queueLength("a") == 0);
    }

    private static @Nullable Throwable failure(CompletableFuture<?> failed) {
        return Await.get(failed.handle((value, failure) -> failure));
    }

    @Test
    void withLockAsync_cancelledBeforeItIsHeld_leavesTheQueueAndDoesNothing() throws Exception {
        LockHandle held = other.lock("a").acquire();
        CompletableFuture<String> result = lock.withLockAsync(this::begin);
        Await.until("waiter", () -> server.queueLength("a") == 2);

        assertThat(result.cancel(true)).isTrue();

        Await.until("end of the wait", () -> server.queueLength("a") == 1);
        held.close();
        assertComesFree();
        assertThat(begun).isNotDone();
    }

    @Test
    void withLockAsync_cancelledBeforeItIsHandedOver_doesNothingAndReleases() {
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        try (LockClient slow = client(callbacks::add)) {
            CompletableFuture<String> result = slow.lock("a").withLockAsync(this::begin);
            Await.until("hand-over", () -> !callbacks.isEmpty());

            assertThat(result.cancel(true)).isTrue();
            callbacks.forEach(Runnable::run);

            assertComesFree();
            assertThat(begun).isNotDone();
        }
    }

    @Test
    void withLockAsync_completedWhileTheActionGoesOn_isHeldUntilItEnds() {
        List<Consumer<CompletableFuture<String>>> ends = List.of(
                future -> future.cancel(true),
                future -> future.complete("no longer wanted"),
                future -> future.completeExceptionally(new IllegalStateException("no longer wanted")));
        for (Consumer<CompletableFuture<String>> end : ends) {
            CompletableFuture<String> going = new CompletableFuture<>();
            CompletableFuture<LockHandle> handle = new CompletableFuture<>();
            CompletableFuture<String> result = lock.withLockAsync(held -> {
                handle.complete(held);
                return going;
            });
            LockHandle held = Await.get(handle);

            end.accept(result);

            assertThat(held.isHeld()).isTrue();
            assertThat(other.lock("a").tryAcquire()).isEmpty();
            going.complete("done");
            assertThat(held.isHeld()).isFalse();
            assertComesFree();
        }
    }

    @Test
    void withLockAsync_derivedStageIsCancelledBeforeItIsHeld_actsAndReleases() throws Exception {
        LockHandle held = other.lock("a").acquire();
        CompletableFuture<Integer> derived = lock.withLockAsync(this::begin).thenApply(String::length);
        derived.cancel(true);

        held.close();

        assertThat(Await.get(begun).isHeld()).isTrue();
        action.complete("done");
        assertComesFree();
    }

    @Test
    void withLockAsync_actionFails_failsLikewiseAndReleases() {
        IOException failure = new IOException("not sent");
        CompletableFuture<String> result = lock.withLockAsync(this::begin);

        action.completeExceptionally(failure);

        assertThat(failure(result)).isSameAs(failure);
        assertComesFree();
    }

    @Test
    void withLockAsync_actionThrows_failsLikewiseAndReleases() {
        for (Throwable thrown :
                new Throwable[] {new IllegalStateException("not begun"), new AssertionError("broken")}) {
            CompletableFuture<String> result = lock.withLockAsync(handle -> sneak(thrown));

            assertThat(failure(result)).isSameAs(thrown);
            assertComesFree();
        }
    }

    private static CompletableFuture<String> sneak(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) thrown;
    }

    @Test
    @SuppressWarnings("NullAway") // what it is about
    void withLockAsync_actionReturnsNoStage_failsAndReleases() {
        assertThat(failure(lock.<String>withLockAsync(handle -> null))).isInstanceOf(NullPointerException.class);
        assertComesFree();
    }

    @Test
    void withLockAsync_actionClosesTheHandle_isReleasedOnce() {
        CompletableFuture<String> result = lock.withLockAsync(handle -> {
            handle.close();
            return CompletableFuture.completedFuture("done");
        });

        assertThat(Await.get(result)).isEqualTo("done");
        assertComesFree();
    }

    @Test
    void withLockAsync_lostBeforeTheEnd_fails() {
        CompletableFuture<String> result = lock.withLockAsync(this::begin);
        breakLock(Await.get(begun));

        action.complete("too late");

        assertThat(failure(result)).isInstanceOf(LockLostException.class);
    }

    @Test
    void withLockAsync_lostAndTheActionFails_failsWithBoth() {
        IOException failure = new IOException("not sent");
        CompletableFuture<String> result = lock.withLockAsync(this::begin);
        breakLock(Await.get(begun));

        action.completeExceptionally(failure);

        assertThat(failure(result)).isSameAs(failure);
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    private void breakLock(LockHandle handle) {
        CompletableFuture<Void> lost = Await.loss(handle);
        client.admin().breakLock("a", "test");
        Await.get(lost);
    }

    @Test
    void withLockAsync_clientIsClosedWhileItWaits_failsAndDoesNothing() throws Exception {
        LockHandle held = other.lock("a").acquire();
        CompletableFuture<String> result = lock.withLockAsync(this::begin);

        client.close();

        assertThat(failure(result)).isInstanceOf(LockClientClosedException.class);
        assertThat(begun).isNotDone();
        held.close();
    }
}
