package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The engine under faults, in virtual time; see {@link Simulation}. */
class SimulationTest {

    private static final String SEED = "io.wellkeeper.testkit.seed";

    @Test
    void schedules_ofManySeeds_keepThePromises() throws InterruptedException {
        Long only = Long.getLong(SEED);
        Simulations all = new Simulations(UnaryOperator.identity(), 5);
        if (only != null) {
            all.run(only, 1, 1);
            System.out.println(Simulations.replay(only, UnaryOperator.identity()));
        } else {
            all.run(
                    0,
                    Long.getLong("io.wellkeeper.testkit.seeds", 100_000),
                    Runtime.getRuntime().availableProcessors());
            System.out.println(all.ran() + " schedules, " + all.granted() + " acquisitions");
        }

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
