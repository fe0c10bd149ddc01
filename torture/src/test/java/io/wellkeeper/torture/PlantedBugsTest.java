package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.testkit.process.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each planted bug is found, in a short run with real processes on a real server and one fault. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlantedBugsTest {

    private static final Duration SESSION = Duration.ofSeconds(2);

    private static final Plan.Fault PAUSE =
            new Plan.Fault(FaultKind.PAUSE, Duration.ofSeconds(3), Duration.ofSeconds(1));

    private RedisProcess server;

    @BeforeAll
    void start() {
        server = RedisProcess.start();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({
        "BLIND_HOLDER, blind-after-pause",
        "SILENT_RELEASE, overlap",
        "TOKEN_OF_THE_PROCESS, token-order",
        "TOKEN_OF_THE_SECOND, token-reuse",
        "SHARED_WRITER, overlap",
        "SLOW_RELEASE, idle-lock",
        "CHECK_THEN_ACT, overlap",
        "WRONG_NAME, overlap",
        "LATE_DEADLINE, late-return",
        "EARLY_DEADLINE, early-return"
    })
    void run_plantedBug_isFound(PlantedBug bug, String rule, @TempDir Path directory) throws InterruptedException {
        Plan plan = Plan.of(bug.ordinal(), SESSION, 0, bug).with(List.of(PAUSE));
        Torture.run(plan, directory, port -> "redis://127.0.0.1:" + port + "?restartGuard=off", server.port());
        List<String> broken = Checker.check(Run.read(directory)).violations().stream()
                .map(Violation::rule)
                .distinct()
                .toList();
        assertThat(broken).contains(rule);
    }
}
