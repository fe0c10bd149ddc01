package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.LockStoreException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A wait ends once: by its outcome, or by an interrupt. */
class FuturesTest {

    /** A wait of which the thread is interrupted; what happens before it can react is up to the test. */
    private static CompletableFuture<Integer> interrupted(Runnable before, CompletableFuture<Integer> wait) {
        return new CompletableFuture<>() {
            private boolean begun;

            @Override
            public Integer get() throws InterruptedException, ExecutionException {
                if (begun) {
                    return wait.get();
                }
                begun = true;
                before.run();
                throw new InterruptedException();
            }

            @Override
            public boolean cancel(boolean mayInterrupt) {
                return wait.cancel(mayInterrupt);
            }
        };
    }

    @Test
    void await_interruptedWhenItIsOver_returnsTheOutcomeAndRemembersTheInterrupt() throws Exception {
        CompletableFuture<Integer> wait = new CompletableFuture<>();

        int outcome = Futures.await(interrupted(() -> wait.complete(7), wait));

        assertThat(outcome).isEqualTo(7);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void await_interruptedWhenItHasFailed_throwsTheFailureAndRemembersTheInterrupt() {
        CompletableFuture<Integer> wait = new CompletableFuture<>();
        CompletableFuture<Integer> failing =
                interrupted(() -> wait.completeExceptionally(new IllegalStateException("failed")), wait);

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Futures.await(failing));

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void await_interruptedWhileItLasts_isCancelled() {
        CompletableFuture<Integer> wait = new CompletableFuture<>();

        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> Futures.await(interrupted(() -> {}, wait)));

        assertThat(wait).isCancelled();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void forUser_waitOfWhichOnlyTheEndIsTold_failsWithWhatTheWaitHasFailedWith() {
        CompletableFuture<Integer> wait = new CompletableFuture<>();
        CompletableFuture<Void> users =
                Futures.forUser(wait, new Events("client", Optional.empty(), Optional.of(Runnable::run)));
        LockStoreException refused = new LockStoreException("it refuses");

        wait.completeExceptionally(refused);

        assertThat(users.handle((nothing, failure) -> failure)).isCompletedWithValue(refused);
    }
}
