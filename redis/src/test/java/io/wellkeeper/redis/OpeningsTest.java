package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockStoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Whatever begins is either waited for at the end, or does not begin. */
class OpeningsTest {

    private final Openings openings = new Openings();

    private CompletableFuture<Void> begin() {
        CompletableFuture<Void> over = new CompletableFuture<>();
        assertThat(openings.begin(over, "there")).isTrue();
        return over;
    }

    @Test
    void close_nothingUnderWay_isOverAtOnce() {
        begin().complete(null);

        assertThat(openings.close()).isCompleted();
    }

    @Test
    void close_someUnderWay_isOverWhenAllAreInWhateverWay() {
        CompletableFuture<Void> one = begin();
        CompletableFuture<Void> other = begin();

        CompletableFuture<Void> closed = openings.close();

        one.complete(null);
        assertThat(closed).isNotDone();
        other.completeExceptionally(new LockStoreException("cannot reach it"));
        assertThat(closed).isCompleted();
    }

    @Test
    void begin_afterClose_mayNot() {
        assertThat(openings.close()).isCompleted();

        CompletableFuture<Void> late = new CompletableFuture<>();
        assertThat(openings.begin(late, "there")).isFalse();
        assertThat(Await.failure(late)).hasMessage("the store at there was closed");
        assertThat(openings.close()).isCompleted();
    }

    @Test
    void begin_besideClose_isWaitedForOrMayNot() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 10_000; i++) {
                Openings raced = new Openings();
                CompletableFuture<Void> over = new CompletableFuture<>();
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> begun = other.submit(() -> {
                    start.await();
                    return raced.begin(over, "there");
                });
                start.await();
                CompletableFuture<Void> closed = raced.close();

                if (begun.get()) {
                    assertThat(closed).isNotDone();
                    over.complete(null);
                }
                assertThat(closed).isCompleted();
            }
        } finally {
            other.shutdownNow();
        }
    }
}
