package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SimulatedTimeTest {

    private final SimulatedTime time = new SimulatedTime();
    private final List<String> ran = new ArrayList<>();

    @Test
    void advance_severalDue_runsInOrderAtTheirMoments() {
        long start = time.nanoTime();
        time.schedule(Duration.ofSeconds(20), () -> ran.add("20 at " + seconds(start)));
        time.schedule(Duration.ofSeconds(5), () -> {
            ran.add("5 at " + seconds(start));
            time.schedule(Duration.ofSeconds(1), () -> ran.add("6 at " + seconds(start)));
        });
        time.schedule(Duration.ofSeconds(20), () -> ran.add("20 again at " + seconds(start)));
        time.schedule(Duration.ofSeconds(31), () -> ran.add("31"));

        time.advance(Duration.ofSeconds(30));

        assertThat(ran).containsExactly("5 at 5", "6 at 6", "20 at 20", "20 again at 20");
        assertThat(seconds(start)).isEqualTo(30);
        assertThat(time.pending()).isEqualTo(1);
    }

    private long seconds(long start) {
        return Duration.ofNanos(time.nanoTime() - start).toSeconds();
    }

    @Test
    void nanoTime_afterTenSeconds_overflows() {
        long start = time.nanoTime();
        time.advance(Duration.ofSeconds(11));

        assertThat(time.nanoTime()).isNegative();
        assertThat(seconds(start)).isEqualTo(11);
    }

    @Test
    void schedule_closed_doesNotRun() {
        Registration registration = time.schedule(Duration.ofSeconds(1), () -> ran.add("closed"));
        registration.close();
        registration.close();

        time.advance(Duration.ofSeconds(2));

        assertThat(ran).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Test
    void runUntilIdle_laterTasks_stay() {
        time.schedule(Duration.ofNanos(1), () -> ran.add("later"));
        time.executor().execute(() -> time.executor().execute(() -> ran.add("now")));

        time.runUntilIdle();

        assertThat(ran).containsExactly("now");
    }

    @Test
    void runUntilIdle_taskThatReschedulesItselfForEver_isNoticed() {
        Runnable[] again = new Runnable[1];
        again[0] = () -> time.schedule(Duration.ZERO, again[0]);
        again[0].run();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(time::runUntilIdle);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void call_throwsAnError_failsWithIt() {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> time.call(() -> {
                    throw new AssertionError("as of an assertion");
                }))
                .withCauseInstanceOf(AssertionError.class);
    }

    @Test
    void call_thatWaitsForAnEvent_runsItOnThisThread() {
        Thread test = Thread.currentThread();
        CompletableFuture<Boolean> onTestThread = new CompletableFuture<>();

        boolean result = time.call(() -> {
            time.executor().execute(() -> onTestThread.complete(Thread.currentThread() == test));
            return onTestThread.get();
        });

        assertThat(result).isTrue();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> time.call(() -> {
                    throw new IllegalStateException("failed");
                }));
    }

    @Test
    void advance_byATaskOfItsOwn_isRefused() {
        time.executor().execute(() -> time.advance(Duration.ZERO));

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(time::runUntilIdle);
    }
}
