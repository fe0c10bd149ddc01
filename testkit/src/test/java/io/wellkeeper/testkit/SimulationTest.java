package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine under faults, in virtual time; see {@link Simulation}. */
class SimulationTest {

    private static final String SEED = "io.wellkeeper.testkit.seed";

    @Test
    void schedules_ofManySeeds_keepThePromises() throws InterruptedException {
        Long only = Long.getLong(SEED);
        if (only != null) {
            run(only, 1);
            System.out.println(Simulations.replay(only, UnaryOperator.identity()));
        } else {
            run(Simulations.FIRST, Simulations.COUNT);
        }
    }

    @Tag("full")
    @Test
    void schedules_ofFurtherSeeds_keepThePromises() throws InterruptedException {
        run(Simulations.FIRST + Simulations.COUNT, Simulations.FURTHER);
    }

    private static void run(long first, long count) throws InterruptedException {
        Simulations all = new Simulations(UnaryOperator.identity(), 5);

        long start = System.nanoTime();
        all.run(first, count, Runtime.getRuntime().availableProcessors());
        double seconds = (System.nanoTime() - start) / 1e9;

        System.out.printf(
                "%d schedules, %d acquisitions, in %.1f s (%.0f schedules/s); seeds that fail: %s%n",
                all.ran(), all.granted(), seconds, all.ran() / seconds, all.failed());
        assertThat(all.failed())
                .as(() -> "seeds that fail, each to be replayed by -D" + SEED + "=..., such as\n"
                        + Simulations.replay(all.failed().get(0), UnaryOperator.identity()))
                .isEmpty();
    }

    @Test
    void schedule_ofOneSeed_isAlwaysTheSame() {
        assertThat(LongStream.range(0, 200).map(SimulationTest::hash).toArray())
                .isEqualTo(LongStream.range(0, 200).map(SimulationTest::hash).toArray());
    }

    private static long hash(long seed) {
        Simulation simulation = Simulations.of(seed, UnaryOperator.identity(), false);
        simulation.run();
        return simulation.history().hash();
    }
}
