package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.testkit.process.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, a real server, real faults: the locks keep what they promise. */
class TortureTest {

    @TempDir
    Path directory;

    @Test
    void run_everyFault_locksKeepTheirPromises() throws InterruptedException {
        Plan plan = Plan.of(22, Duration.ofSeconds(2), FaultKind.values().length, PlantedBug.NONE);
        try (RedisProcess server = RedisProcess.start()) {
            Torture.run(plan, directory, port -> "redis://127.0.0.1:" + port + "?restartGuard=off", server.port());
        }
        Run run = Run.read(directory);
        assertThat(Checker.check(run).violations()).isEmpty();
        assertThat(run.faults())
                .extracting(fault -> fault.kind)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(FaultKind.values()).map(FaultKind::word).toList());
        assertThat(run.faults()).allSatisfy(fault -> assertThat(fault.healed).isNotEqualTo(Section.NEVER));
        assertThat(run.locks()).allSatisfy(lock -> assertThat(lock.sections).isNotEmpty());
        assertThat(run.accepted()).isNotEmpty();
        System.out.println(
                run.locks().stream().mapToInt(lock -> lock.sections.size()).sum() + " acquisitions, "
                        + run.faults().size() + " faults, " + run.refusals()
                        + " writes stopped by their tokens");
    }

    @Test
    void of_sameSeed_isTheSamePlan() {
        Plan plan = Plan.of(22, Duration.ofSeconds(2), 20, PlantedBug.NONE);
        assertThat(Plan.of(22, Duration.ofSeconds(2), 20, PlantedBug.NONE)).isEqualTo(plan);
        assertThat(Plan.of(23, Duration.ofSeconds(2), 20, PlantedBug.NONE).faults())
                .isNotEqualTo(plan.faults());
    }
}
