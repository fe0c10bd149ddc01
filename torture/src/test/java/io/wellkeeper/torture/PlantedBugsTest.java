package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each planted bug is found, in a short run with real processes on a real server and one fault. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class PlantedBugsTest {

    private static final Duration SESSION = Duration.ofSeconds(2);

    private Servers servers;

    @BeforeAll
    void start() {
        servers = Arrangement.REDIS.start(SESSION);
    }

    @AfterAll
    void stop() {
        servers.close();
    }

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
        "LEAKED_THREAD, SHORT_PAUSE, left-behind"
    })
    void run_plantedBug_isFound(PlantedBug bug, FaultKind kind, String rule, @TempDir Path directory)
            throws InterruptedException {
        Plan plan = Plan.of(bug.ordinal(), SESSION, List.of(kind), 1, bug);
        Torture.run(plan, directory, servers);
        List<String> broken = Checker.check(Run.read(directory)).violations().stream()
                .map(Violation::rule)
                .distinct()
                .toList();
        assertThat(broken).contains(rule);
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
