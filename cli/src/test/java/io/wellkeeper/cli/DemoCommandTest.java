package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wellkeeper.cli.run.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code demo}, from end to end. */
@Tag("full")
@Timeout(180)
class DemoCommandTest {

    @TempDir
    private Path temporary;

    /** PostgreSQL does not run as root, so it is somebody else who has to look into the folder. */
    @BeforeEach
    void openFolder() throws IOException {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private CliProcess demo(String store, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("demo"));
        if (!store.isEmpty()) {
            arguments.addAll(List.of("--store", store));
        }
        arguments.addAll(List.of(more));
        return CliProcess.startIn(temporary, arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "redis:embedded", "postgres:embedded", "mariadb:embedded", "sqlite"})
    void demo_json_allActsAreAsExpectedAndOnlyJsonIsOnStdout(String store) throws Exception {
        try (CliProcess demo = demo(store, "--json")) {
            List<String> lines = demo.output();

            assertThat(lines).as("%s", demo.errors()).hasSize(1);
            JsonNode outcome = new ObjectMapper().readTree(lines.get(0));
            assertThat(demo.exitCode()).as("%s", outcome).isZero();
            assertThat(outcome.get("asExpected").asBoolean()).isTrue();
            assertThat(outcome.get("acts"))
                    .allSatisfy(
                            act -> assertThat(act.get("asExpected").asBoolean()).isTrue())
                    .extracting(act -> act.at("/figures/orders").asInt())
                    .satisfiesExactly(
                            withoutLock -> assertThat(withoutLock).isGreaterThan(100),
                            withLock -> assertThat(withLock).isEqualTo(100),
                            killed -> assertThat(killed).isZero(),
                            paused -> assertThat(paused).isEqualTo(2),
                            pausedAndChecked -> assertThat(pausedAndChecked).isEqualTo(1));
            JsonNode last = outcome.at("/acts/4/figures");
            assertThat(last.get("staleWrite").asText()).isEqualTo("refused");
            assertThat(last.get("isHeldByCurrentThread").asBoolean()).isFalse();
            assertThat(last.get("unlock").asText()).isEqualTo("LockLostException");
            assertThat(demo.errors()).noneMatch(line -> line.contains("\u001b"));
            assertThat(temporary).isEmptyDirectory();
        }
    }

    @Test
    void demo_folderForTemporaryFilesIsMissing_73AndOneLine() throws Exception {
        Path missing = temporary.resolve("missing");

        try (CliProcess demo = CliProcess.startIn(missing, "demo", "--store", "sqlite")) {
            assertThat(demo.exitCode()).isEqualTo(73);
            assertThat(demo.errors()).singleElement().asString().contains(missing.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 5", "redis:embedded, 7"}) // a shell and its cat see to it that Redis ends
    void demo_ended_leavesNoProcessAndNoFileBehind(String store, int processes) throws Exception {
        try (CliProcess demo = demo(store)) {
            String line = demo.line();
            while (!line.startsWith("1.")) {
                line = demo.line();
            }
            List<Long> started = demo.descendants();
            assertThat(started).noneMatch(pid -> Processes.commandLine(pid).contains("://"));

            demo.signal("TERM");

            assertThat(demo.exitCode()).isEqualTo(143);
            assertThat(started).hasSize(processes).allSatisfy(pid -> await().until(() -> Processes.isDead(pid)));
            assertThat(demo.errors()).isEmpty();
            assertThat(temporary).isEmptyDirectory();
        }
    }
}
