package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Mono;

/** Calls that hold their lock for too long. */
class OvertimeTest extends ContextTest {

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @Import(Works.class)
    static class Guarded {}

    /** Methods that last. */
    static class Works {

        @Locked(value = "work", maxHold = "1ms")
        public void waiting(CountDownLatch event) throws InterruptedException {
            event.await();
        }

        @Locked(value = "work", maxHold = "1ms")
        public void deaf() {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }

        @Locked(value = "work", maxHold = "60s")
        public void quick() {
            Thread.currentThread().interrupt();
        }

        @Locked(value = "work", maxHold = "1ms")
        public CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        @Locked(value = "work", maxHold = "1ms")
        public Mono<String> mono(CompletableFuture<String> work) {
            return Mono.fromFuture(work);
        }
    }

    private final Works works = start(Guarded.class).getBean(Works.class);

    private void awaitWarning(String method) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(log.text()).contains("Works." + method, "[work]", "PT0.001S"));
    }

    @Test
    void call_thatLasts_isToldOf_andInterrupted() {
        CountDownLatch never = new CountDownLatch(1);

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> works.waiting(never));

        awaitWarning("waiting");
        assertThat(log.text()).contains("here it is", "call_thatLasts_isToldOf_andInterrupted");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void call_thatLeavesTheInterruptUnanswered_doesNotLeaveItToItsCaller() {
        works.deaf();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        awaitWarning("deaf");
        awaitFree("work");
    }

    @Test
    void call_thatIsOverInTime_keepsAnInterruptOfSomebodyElse() {
        works.quick();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(log.text()).isEmpty();
    }

    @Test
    void future_thatLasts_isToldOf_andKeepsItsLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = works.future(work);

        awaitWarning("future");

        assertThat(isHeld("work")).isTrue();
        work.complete("done");
        assertThat(get(result)).isEqualTo("done");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void mono_thatLasts_isToldOf_andKeepsItsLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = works.mono(work).toFuture();

        awaitWarning("mono");

        assertThat(isHeld("work")).isTrue();
        work.complete("done");
        assertThat(get(result)).isEqualTo("done");
    }
}
