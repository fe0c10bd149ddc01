package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import io.wellkeeper.benchmarks.Slot.Reply;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private static final Offset<Double> EXACT = within(1e-9);
    private static final long WINDOW = 2_000_000_000L;

    @Test
    void of_severalProcesses_sumsThemAndComparesTheirShares() {
        Map<Measure, Double> outcome = Outcome.of(
                Work.PROCESSES_4,
                List.of(reply(80, 90), reply(120, 130), reply(100, 110), reply(100, 120)),
                WINDOW,
                1_350);

        assertThat(outcome.get(Measure.THROUGHPUT)).isCloseTo(200, EXACT);
        assertThat(outcome.get(Measure.REQUESTS)).isCloseTo(3, EXACT);
        assertThat(outcome.get(Measure.CLIENT_CPU)).isCloseTo(150, EXACT);
        assertThat(outcome.get(Measure.SMALLEST_SHARE)).isCloseTo(0.8, EXACT);
        assertThat(outcome.get(Measure.LARGEST_SHARE)).isCloseTo(1.2, EXACT);
        assertThat(outcome.get(Measure.CYCLE_MAX)).isCloseTo(1, within(0.01));
    }

    @Test
    void of_latencies_mergesAndGivesMicroseconds() {
        Histogram most = Histograms.empty();
        Histogram few = Histograms.empty();
        for (int i = 0; i < 98; i++) {
            Histograms.record(most, 1_000_000);
        }
        Histograms.record(few, 50_000_000);
        Histograms.record(few, 50_000_000);

        Map<Measure, Double> outcome = Outcome.of(
                Work.FREE,
                List.of(
                        new Reply("", 98, 98, 0, 0, 0, Histograms.encode(most)),
                        new Reply("", 2, 2, 0, 0, 0, Histograms.encode(few))),
                WINDOW,
                300);

        assertThat(outcome.get(Measure.CYCLE_P50)).isCloseTo(1_000, within(10.0));
        assertThat(outcome.get(Measure.CYCLE_P99)).isCloseTo(50_000, within(500.0));
    }

    @Test
    void of_newcomer_isAboutItsWaitOnly() {
        Histogram wait = Histograms.empty();
        Histograms.record(wait, 3_000_000);

        Map<Measure, Double> outcome = Outcome.of(
                Work.NEWCOMER_BUSY,
                List.of(reply(100, 110), new Reply("", 1, 1, 0, 0, 0, Histograms.encode(wait))),
                WINDOW,
                100);

        assertThat(outcome).containsOnlyKeys(Measure.WAIT_P50, Measure.WAIT_P99);
        assertThat(outcome.get(Measure.WAIT_P50)).isCloseTo(3_000, within(30.0));
    }

    @Test
    void of_locksHeld_isWhatThatCostsInASecond() {
        assertThat(Outcome.of(Work.HELD, List.of(reply(0, 0)), WINDOW, 3))
                .containsExactly(entry(Measure.REQUEST_RATE, 1.5));
    }

    @Test
    void of_nothingCounted_isNothing() {
        assertThat(Outcome.of(Work.FREE, List.of(reply(0, 3)), WINDOW, 9)).isEmpty();
    }

    @Test
    void median_isTheOneInTheMiddle() {
        assertThat(Outcome.median(DoubleStream.of(9, 1, 5))).hasValue(5.0);
    }

    @Test
    void median_ofTwo_isTheirMean() {
        assertThat(Outcome.median(DoubleStream.of(1, 2))).hasValue(1.5);
    }

    @Test
    void median_ofNothing_isNothing() {
        assertThat(Outcome.median(DoubleStream.empty())).isEmpty();
    }

    @Test
    void ratio_isAboveOneIfOursIsBetter() {
        assertThat(Measure.THROUGHPUT.ratio(20, 10)).isEqualTo(2);
        assertThat(Measure.CYCLE_P99.ratio(20, 10)).isEqualTo(0.5);
        assertThat(Measure.REQUESTS.ratio(0, 3)).isNull();
    }

    private static Reply reply(long cycles, long allCycles) {
        Histogram latencies = Histograms.empty();
        for (long i = 0; i < cycles; i++) {
            Histograms.record(latencies, 1_000);
        }
        return new Reply("", cycles, allCycles, 0, cycles * 150_000, 0, Histograms.encode(latencies));
    }
}
