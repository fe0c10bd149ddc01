package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The schedules beside those of {@link SimulationTest}, in virtual time: barriers, latches, elections and the simple
 * lock under faults, the number of requests without faults, crowds, callbacks that do not run, semaphores that are
 * resized, and signals for waiters that give up.
 */
class SimulatedFamilyTest {

    private static final int ENOUGH = 5; // failures
    private static final int PART = 20; // each kind here has a twentieth of the schedules that locks have
    private static final String SEED = "io.wellkeeper.testkit.seed";

    private enum Kind {
        BARRIER(seed -> new SimulatedGathering(seed, SimulatedGathering.Kind.BARRIER, 0)),
        LATCH(seed -> new SimulatedGathering(seed, SimulatedGathering.Kind.LATCH, 0)),
        BARRIER_CROWD(seed -> new SimulatedGathering(seed, SimulatedGathering.Kind.BARRIER, 40)),
        LATCH_CROWD(seed -> new SimulatedGathering(seed, SimulatedGathering.Kind.LATCH, 40)),
        ELECTION(SimulatedElection::new),
        LEASES(SimulatedLeases::new),
        LINE(SimulatedLine::new),
        RETURN(SimulatedReturn::new),
        BUSY(SimulatedBusy::new),
        CROWD(SimulatedCrowd::new),
        RESIZE(SimulatedResize::new),
        SIGNALS(SimulatedSignals::new);

        private final LongFunction<SimulatedSchedule> schedule;

        Kind(LongFunction<SimulatedSchedule> schedule) {
            this.schedule = schedule;
        }
    }

    @ParameterizedTest
    @EnumSource
    void schedules_ofManySeeds_keepThePromises(Kind kind) {
        Long only = Long.getLong(SEED);
        if (only != null) {
            run(kind, only, 1);
        } else {
            run(kind, Simulations.FIRST, Simulations.COUNT / PART);
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void schedules_ofFurtherSeeds_keepThePromises(Kind kind) {
        run(kind, Simulations.FIRST + Simulations.COUNT / PART, Simulations.FURTHER / PART);
    }

    private static void run(Kind kind, long first, long count) {
        List<Long> failed = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (long seed = first; seed < first + count && failed.size() < ENOUGH; seed++) {
            SimulatedSchedule schedule = kind.schedule.apply(seed);
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
