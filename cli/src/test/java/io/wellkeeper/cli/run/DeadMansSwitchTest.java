package io.wellkeeper.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DeadMansSwitchTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void prefix_launcherIsAlive_commandIsStarted(boolean leader) throws Exception {
        Path ran = directory.resolve("ran");

        assertThat(exitCode(leader, List.of(), ran)).isZero();
        assertThat(ran).exists();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void prefix_launcherIsNotTheParentAnyMore_commandIsNotStarted(boolean leader) throws Exception {
        Path ran = directory.resolve("ran");

        assertThat(exitCode(leader, List.of("sh", "-c", "\"$@\"; exit $?", "another"), ran))
                .isEqualTo(126);
        assertThat(ran).doesNotExist();
    }

    /** The switch looks at the clock at each message, which must not get in the way of the command that is being started. */
    @Test
    void prefix_switchIsToldAllTheWhile_commandIsStarted() throws Exception {
        DeadMansSwitch told =
                DeadMansSwitch.start(new Executables(Optional.empty())).orElseThrow();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> telling = CompletableFuture.runAsync(() -> {
            try {
                while (!done.get()) {
                    told.killAfter(() -> Duration.ofHours(1));
                }
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        });
        try {
            for (int i = 0; i < 50; i++) {
                List<String> line = new ArrayList<>(told.prefix(false));
                line.add("true");
                assertThat(new ProcessBuilder(line).inheritIO().start().waitFor())
                        .isZero();
            }
        } finally {
            done.set(true);
            telling.join();
            told.end();
        }
    }

    /** Makes a file by a command behind the prefix, and behind what is before it. */
    private static int exitCode(boolean leader, List<String> before, Path file) throws Exception {
        Optional<DeadMansSwitch> started = DeadMansSwitch.start(new Executables(Optional.empty()));
        assertThat(started).isPresent();
        try {
            List<String> line = new ArrayList<>(before);
            line.addAll(started.get().prefix(leader));
            line.addAll(List.of("touch", file.toString()));
            return new ProcessBuilder(line).inheritIO().start().waitFor();
        } finally {
            started.get().end();
        }
    }
}
