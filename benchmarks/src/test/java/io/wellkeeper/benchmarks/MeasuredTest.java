package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class MeasuredTest {

    @Test
    void figure_isTheMedianOfTheRounds() {
        Measured measured = measured(Measure.THROUGHPUT, rounds(9, 1, 5), rounds(1, 1, 1));

        assertThat(measured.figure(Contestant.DEFAULT, Measure.THROUGHPUT)).hasValue(5.0);
        assertThat(measured.figure(Contestant.DEFAULT, Measure.CYCLE_P50)).isEmpty();
        assertThat(measured.figure(Contestant.STRICT, Measure.THROUGHPUT)).isEmpty();
    }

    @Test
    void ratio_isTheMedianOfThoseOfTheRounds() {
        Measured measured = measured(Measure.THROUGHPUT, rounds(800, 200, 300), rounds(400, 100, 50));

        assertThat(measured.ratio(Measure.THROUGHPUT, Contestant.DEFAULT, Contestant.MUTEX))
                .hasValue(2.0); // and not 3, that of the medians: the second round was slow for both
    }

    @Test
    void ratio_nothingToDivideBy_isNone() {
        Measured measured = measured(Measure.REQUESTS, rounds(1, 0, 1), rounds(3, 3, 3));

        assertThat(measured.ratio(Measure.REQUESTS, Contestant.DEFAULT, Contestant.MUTEX))
                .isEmpty();
        assertThat(measured.ratio(Measure.THROUGHPUT, Contestant.DEFAULT, Contestant.MUTEX))
                .isEmpty();
        assertThat(measured.ratio(Measure.REQUESTS, Contestant.DEFAULT, Contestant.SHARED_MUTEX))
                .isEmpty();
    }

    private static double[] rounds(double... figures) {
        return figures;
    }

    private static Measured measured(Measure measure, double[] ours, double[] theirs) {
        return new Measured(
                Topology.ONE_SERVER,
                Work.FREE,
                Map.of(Contestant.DEFAULT, each(measure, ours), Contestant.MUTEX, each(measure, theirs)));
    }

    private static List<Map<Measure, Double>> each(Measure measure, double... figures) {
        return DoubleStream.of(figures)
                .mapToObj(figure -> Map.of(measure, figure))
                .toList();
    }
}
