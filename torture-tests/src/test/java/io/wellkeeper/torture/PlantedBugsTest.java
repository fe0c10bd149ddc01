package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each planted bug is found, in a short run with real processes on a real server and one fault. What a busy machine could
 * have done excuses the locks, so a run on one may come to nothing: then there is another one.
 */
class PlantedBugsTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final int RUNS = 3;
    private static final int WORKERS = 2;
    private static final int THREADS = 4;
    private static final Duration REST = Duration.ofMillis(60);

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({
        "BLIND_HOLDER, PAUSE, blind-after-pause",
        "SILENT_RELEASE, PAUSE, overlap",
        "TOKEN_OF_THE_PROCESS, SHORT_PAUSE, token-order",
        "TOKEN_OF_THE_SECOND, SHORT_PAUSE, token-reuse",
        "SHARED_WRITER, SHORT_PAUSE, overlap",
        "SLOW_RELEASE, SHORT_PAUSE, idle-lock",
        "CHECK_THEN_ACT, SHORT_PAUSE, overlap",
        "WRONG_NAME, SHORT_PAUSE, overlap",
        "LATE_DEADLINE, SHORT_PAUSE, late-return",
        "EARLY_DEADLINE, SHORT_PAUSE, early-return",
        "UNLOCK_TWICE, SHORT_PAUSE, unprovoked-loss",
        "RELEASE_BY_NAME, PAUSE, unprovoked-loss",
        "LONG_SESSION, KILL, idle-lock",
        "ASKS_THE_STORE, SILENCE, slow-answer",
        "LATE_CLOCK, SILENCE, overlap",
        "LATE_NEWS, SILENCE, told-late",
        "FALSE_ALARM, SHORT_PAUSE, unprovoked-loss",
        "LOST_WAKE_UP, SHORT_PAUSE, idle-lock",
        "DEAF_TO_INTERRUPTS, SHORT_PAUSE, late-return",
        "LATE_PLACE, SHORT_PAUSE, overtaken",
        "FEWER_PERMITS, SHORT_PAUSE, overlap",
        "OTHER_SIZE, SHORT_PAUSE, overlap",
        "BLIND_READER, SHORT_PAUSE, overlap",
        "REMEMBERED_TOKEN, SHORT_PAUSE, token-reuse",
        "SHORT_TOKEN, SHORT_PAUSE, token-order",
        "FAILURE, SHORT_PAUSE, unprovoked-failure",
        "FAIL_OPEN, DISK_FULL, token-order",
        "LEAKED_THREAD, SHORT_PAUSE, left-behind"
    })
    void run_plantedBug_isFound(PlantedBug bug, FaultKind kind, String rule, @TempDir Path directory)
            throws IOException, InterruptedException {
        Set<String> broken = Set.of();
        for (int number = 1; number <= RUNS && !broken.contains(rule); number++) {
            Path own = Files.createDirectory(directory.resolve("run-" + number));
            torture(bug, kind, bug.ordinal() * RUNS + number, own);
            Run run = Run.read(own);
            Checker.Verdict verdict = Checker.check(run);
            broken = verdict.violations().stream().map(Violation::rule).collect(Collectors.toSet());
            System.out.println(bug + ", run " + number + ": " + broken);
            if (!broken.contains(rule)) {
                System.out.print(Summary.of(run, verdict));
            }
        }
        assertThat(broken).contains(rule);
    }

    private static void torture(PlantedBug bug, FaultKind kind, long seed, Path directory) throws InterruptedException {
        Plan plan = Plan.of(seed, SESSION, List.of(kind), 1, bug).resting(REST);
        try (Servers servers = Arrangement.REDIS.start(SESSION)) {
            Torture.run(plan.with(WORKERS, THREADS, plan.locks(), Plan.WELLKEEPER), directory, servers);
        }
    }

    @Test
    void run_plantedBugs_areAllTried() throws NoSuchMethodException {
        CsvSource tried = PlantedBugsTest.class
                .getDeclaredMethod(
                        "run_plantedBug_isFound", PlantedBug.class, FaultKind.class, String.class, Path.class)
                .getAnnotation(CsvSource.class);
        assertThat(tried.value())
                .extracting(line -> PlantedBug.valueOf(line.substring(0, line.indexOf(','))))
                .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.of(PlantedBug.NONE)))
                .hasSizeGreaterThanOrEqualTo(20);
    }
}
