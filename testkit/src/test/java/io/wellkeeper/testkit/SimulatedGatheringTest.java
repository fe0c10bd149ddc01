package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Barriers and latches under faults, in virtual time; see {@link SimulatedGathering}. */
class SimulatedGatheringTest {

    private static final int ENOUGH = 5; // failures
    private static final String SEED = "io.wellkeeper.testkit.seed";

    @ParameterizedTest
    @EnumSource
    void schedules_ofManySeeds_keepThePromises(SimulatedGathering.Kind kind) {
        Long only = Long.getLong(SEED);
        long first = only != null ? only : 0;
        long count = only != null ? 1 : Long.getLong("io.wellkeeper.testkit.gatherings", 2_000);
        List<Long> failed = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (long seed = first; seed < first + count && failed.size() < ENOUGH; seed++) {
            SimulatedGathering schedule = new SimulatedGathering(seed, kind);
            try {
                schedule.run();
            } catch (Throwable wrong) {
                failed.add(seed);
                words = failed.size() == 1 ? schedule.words() : words;
                System.out.printf(
                        "%s: noticed after %d schedules, by seed %d: %s%n", kind, seed + 1 - first, seed, wrong);
            }
        }
        assertThat(failed)
                .as("seeds that fail, each to be replayed by -D%s=..., such as%n%s", SEED, String.join("\n", words))
                .isEmpty();
    }
}
