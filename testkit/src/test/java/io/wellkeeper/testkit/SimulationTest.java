package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine under faults, in virtual time. */
class SimulationTest {

    private static final int STEPS = 60;

    static LongStream seeds() {
        return LongStream.range(0, Long.getLong("io.wellkeeper.testkit.seeds", 100));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void locks_underFaults_areExclusiveAndComeFree(long seed) {
        assertAllIsWell(new Simulation(seed));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void locks_departedAreShown_areExclusiveAndComeFree(long seed) {
        assertAllIsWell(new Simulation(seed, Simulation.Special.SHOWN_DEPARTED));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void locks_waitersAreEvicted_areExclusiveAndComeFree(long seed) {
        assertAllIsWell(new Simulation(seed, Simulation.Special.EVICTION));
    }

    private static void assertAllIsWell(Simulation simulation) {
        simulation.run(STEPS);

        assertThat(simulation.granted()).isPositive();
    }

    @Test
    void simulation_ofOneSeed_isAlwaysTheSame() {
        Simulation first = new Simulation(7);
        Simulation second = new Simulation(7);
        first.run(STEPS);
        second.run(STEPS);

        assertThat(second.granted()).isEqualTo(first.granted());
        assertThat(second.lost()).isEqualTo(first.lost());
    }
}
