package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a short command has to load: its lock in a file is often held for less time than that takes. */
@Timeout(120)
class StartTest {

    private static final List<String> NEEDLESS = List.of(
            "java.util.logging.",
            "org.postgresql.",
            "org.mariadb.",
            "org.h2.",
            "io.netty.",
            "io.lettuce.",
            "org.apache.zookeeper.",
            "org.apache.curator.",
            "com.fasterxml.",
            "picocli.CommandLine$Interpreter");

    @TempDir
    private Path directory;

    @Test
    void run_overAFile_loadsNothingOfOtherStoresAndNoParser() throws Exception {
        Path classes = directory.resolve("classes");
        String store = "jdbc:sqlite:" + directory.resolve("locks.db");

        try (CliProcess run = CliProcess.startWith(
                Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes),
                "run",
                "--store",
                store,
                "name",
                "--",
                "echo",
                "done")) {
            assertThat(run.line()).isEqualTo("done");
            assertThat(run.exitCode()).isZero();
        }

        List<String> loaded = Files.readAllLines(classes);
        assertThat(loaded).filteredOn(line -> line.contains(" org.sqlite.")).isNotEmpty();
        assertThat(loaded)
                .filteredOn(line -> NEEDLESS.stream().anyMatch(needless -> line.contains(" " + needless)))
                .isEmpty();
    }
}
