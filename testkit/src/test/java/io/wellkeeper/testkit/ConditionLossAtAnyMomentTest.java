package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that is paused anywhere in a wait on a condition must unlock the lost lock as often as it had locked it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConditionLossAtAnyMomentTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final int MOST_LOOKS = 200;

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "1, 20", "3, 20"})
    void await_timeIsUpAtAnyLookAtTheClock_isUnlockedAsOftenAsItWasLocked(int nested, long millis) throws Exception {
        int losses = 0;
        boolean paused = true;
        for (int look = 1; paused; look++) {
            assertThat(look).isLessThan(MOST_LOOKS);
            PausedTime time = new PausedTime();
            try (InMemoryServer server = new InMemoryServer();
                    LockClient client = LockClient.over(
                            new InMemoryTicketStore(server),
                            ClientOptions.builder()
                                    .sessionTimeout(SESSION)
                                    .time(time)
                                    .build())) {
                DistributedLock lock = client.lock("l");
                for (int i = 0; i < nested; i++) {
                    lock.lock();
                }
                time.pauseAtLook(look);
                boolean lost = waitAndLose(lock.newCondition(), millis);
                paused = time.endPauses();
                losses += lost ? 1 : 0;
                lost |= !lock.isHeldByCurrentThread();
                for (int i = 0; i < nested; i++) {
                    if (lost) {
                        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
                    } else {
                        lock.unlock();
                    }
                }
                assertThatExceptionOfType(IllegalMonitorStateException.class)
                        .isThrownBy(lock::unlock)
                        .isNotInstanceOf(LockLostException.class);
            }
            time.close();
        }
        assertThat(losses).isPositive();
    }

    @Test
    void awaitAsync_lostWhenTheLockIsGivenUp_handleIsAsItWas() throws Exception {
        PausedTime time = new PausedTime();
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        try (InMemoryServer server = new InMemoryServer();
                LockClient client = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder()
                                .sessionTimeout(SESSION)
                                .time(time)
                                .callbackExecutor(callbacks::add)
                                .build())) {
            DistributedLock lock = client.lock("l");
            LockHandle handle = lock.acquire();
            time.pauseAtLook(2); // the first is before the wait
            CompletableFuture<LockHandle> again = lock.newCondition().awaitAsync(handle, Duration.ZERO);
            assertThat(time.endPauses()).isTrue();

            callbacks.forEach(Runnable::run);

            assertThat(again)
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockLostException.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
        time.close();
    }

    private static boolean waitAndLose(DistributedCondition condition, long millis) throws InterruptedException {
        try {
            condition.await(millis, TimeUnit.MILLISECONDS);
            return false;
        } catch (LockLostException lost) {
            return true;
        }
    }

    /**
     * The clock of a process that is paused for longer than its session lasts, at a given look of a thread at this
     * clock.
     */
    private static final class PausedTime implements Time {

        private final ServerTime time = new ServerTime();
        private final AtomicLong paused = new AtomicLong();
        private final AtomicInteger left = new AtomicInteger(); // looks until the pause
        private volatile @Nullable Thread thread;

        void pauseAtLook(int look) {
            left.set(look);
            thread = Thread.currentThread();
        }

        /** Ends the pauses; returns whether there was one. */
        boolean endPauses() {
            thread = null;
            return paused.get() > 0;
        }

        @Override
        public long nanoTime() {
            if (Thread.currentThread() == thread && left.decrementAndGet() == 0) {
                paused.addAndGet(SESSION.multipliedBy(2).toNanos());
            }
            return time.nanoTime() + paused.get();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }

        void close() {
            time.close();
        }
    }
}
