package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DURATION;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When messages are asked for, by a clock that the test moves on. */
class PollingProbesTest {

    private static final double LITTLE = 0.1;
    private static final double MUCH = 0.6;
    private static final int SURE = 3; // messages in a row

    private final Heard listener = new Heard();
    private final Polling polling = new Polling(listener, "a server");

    /** What is to be done later is done when the test says so. */
    private static final class Heard implements Polling.Listener {
        private final List<Runnable> later = new ArrayList<>();
        private final List<Duration> delays = new ArrayList<>();
        private Duration look = Duration.ZERO; // how long it takes to look for news
        private CompletableFuture<?> answer = CompletableFuture.completedFuture(null);
        private CompletableFuture<?> news = CompletableFuture.completedFuture(null);
        private int asked;
        private int reconnected;
        private int listenedAgain;
        private int looks;

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public CompletableFuture<?> askForMessage() {
            asked++;
            return answer;
        }

        @Override
        public void reconnected() {
            reconnected++;
        }

        @Override
        public void listenAgain() {
            listenedAgain++;
        }

        @Override
        public CompletableFuture<?> lookForNews() {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < look.toNanos()) {
                Thread.onSpinWait();
            }
            looks++;
            return news;
        }

        @Override
        public void later(Duration delay, Runnable task) {
            later.add(task);
            delays.add(delay);
        }

        void goOn() {
            List<Runnable> now = List.copyOf(later);
            later.clear();
            now.forEach(Runnable::run);
        }
    }

    /** Messages come, one after the other, and each is waited for in vain no longer. */
    private void hear(int messages) {
        for (int i = 0; i < messages; i++) {
            polling.heard();
            listener.goOn();
        }
    }

    @Test
    void round_looksForLong_letsOtherRequestsHaveAsMuchTime() {
        listener.look = Polling.INTERVAL.multipliedBy(2);

        polling.beOneTooMany(0);

        assertThat(listener.delays).singleElement(as(DURATION)).isGreaterThanOrEqualTo(listener.look);
    }

    @Test
    void probe_noMessageArrives_looksForNewsUntilSeveralDo() {
        polling.probe();
        listener.goOn();
        assertThat(polling.isOn()).isTrue();
        assertThat(polling.warning()).contains("do not arrive");
        assertThat(listener.reconnected).isEqualTo(1);

        listener.goOn(); // asks again
        hear(SURE - 1);
        assertThat(polling.isOn()).isTrue();
        hear(1);

        assertThat(polling.isOn()).isFalse();
        assertThat(listener.asked).isEqualTo(1 + SURE);
    }

    /** A pooler that gives each transaction another connection may happen to give the listener the right one. */
    @Test
    void probe_messageArrivesByChance_isRepeated() {
        polling.probe();
        listener.goOn();
        listener.goOn(); // asks again
        hear(1);
        assertThat(polling.isOn()).isTrue();
        listener.goOn();
        assertThat(polling.isOn()).isTrue();

        listener.goOn(); // asks again
        hear(SURE);
        assertThat(polling.isOn()).isFalse();
        listener.goOn(); // asks once more
        listener.goOn();

        assertThat(polling.isOn()).isTrue();
    }

    @Test
    void probe_cannotBeSentWhenNoMessageArrives_goesOnLookingAndAsksAgain() {
        polling.probe();
        listener.goOn();
        listener.answer = CompletableFuture.failedFuture(new IllegalStateException("others were in the way"));
        listener.goOn(); // asks again
        listener.goOn();

        assertThat(polling.isOn()).isTrue();
        assertThat(listener.asked).isEqualTo(3);
    }

    /** What came of it is not known, so it does not count as one of those that have come in a row. */
    @Test
    void probe_cannotBeSentBetweenMessages_countsThemAnew() {
        polling.probe();
        listener.goOn();
        listener.goOn(); // asks again
        hear(SURE - 2);
        listener.answer = CompletableFuture.failedFuture(new IllegalStateException("others were in the way"));
        hear(1);
        listener.answer = CompletableFuture.completedFuture(null);
        listener.goOn(); // asks again
        hear(SURE - 1);
        assertThat(polling.isOn()).isTrue();

        hear(1);

        assertThat(polling.isOn()).isFalse();
    }

    /** It may listen to another server than the one that is asked; behind a pooler that does not help, and is not repeated. */
    @Test
    void probe_noMessageArrives_listensOnAnotherConnectionOnce() {
        polling.probe();
        listener.goOn();
        assertThat(listener.listenedAgain).isEqualTo(1);

        listener.goOn(); // asks again
        listener.goOn();

        assertThat(listener.listenedAgain).isEqualTo(1);
    }

    /** Nothing may wake this session for as long as it does not listen and does not look for news either. */
    @Test
    void probe_cannotBeSentAtFirst_isRepeatedSoon() {
        listener.answer = CompletableFuture.failedFuture(new IllegalStateException("others were in the way"));

        polling.probe();

        assertThat(listener.delays).singleElement(as(DURATION)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void used_muchAgainWhileALookForNewsIsUnderWay_looksOnceInEachRound() {
        polling.used(MUCH);
        listener.news = new CompletableFuture<>();
        listener.goOn(); // the look is not answered
        polling.used(LITTLE);
        hear(SURE + 1);
        assertThat(polling.isOn()).isFalse();
        polling.used(MUCH);
        listener.news.complete(null);
        listener.news = CompletableFuture.completedFuture(null);
        int before = listener.looks;

        listener.goOn();

        assertThat(listener.looks).isEqualTo(before + 1);
    }

    /** Each time that the session has begun to listen again. */
    @Test
    void probe_severalTimesInVain_oneOfThemIsRepeated() {
        polling.probe();
        polling.probe();
        listener.goOn();
        polling.probe();
        listener.goOn();
        assertThat(polling.isOn()).isTrue();

        listener.goOn();

        assertThat(listener.asked).isEqualTo(4);
    }

    @Test
    void used_muchAndLittleByTurns_isAskedForOnceOnly() {
        for (int i = 0; i < 3; i++) {
            polling.used(MUCH);
            polling.used(LITTLE);
        }

        assertThat(listener.asked).isEqualTo(1);
        assertThat(listener.reconnected).isEqualTo(1);
    }

    @Test
    void used_much_looksForNewsUntilItIsLittleAndMessagesArrive() {
        polling.used(MUCH);
        assertThat(polling.isOn()).isTrue();
        assertThat(polling.warning()).contains("60 % full");

        polling.heard();
        listener.goOn();
        assertThat(polling.isOn()).isTrue();
        polling.used(LITTLE);
        listener.goOn();
        hear(SURE);

        assertThat(polling.isOn()).isFalse();
    }

    @Test
    void used_muchWhenNoMessageArrives_looksForNewsAlsoWhenOneDoes() {
        polling.probe();
        listener.goOn();
        polling.used(MUCH);
        listener.goOn(); // asks again
        hear(SURE);

        assertThat(polling.isOn()).isTrue();
    }
}
