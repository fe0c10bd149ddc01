package io.wellkeeper.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DeadMansSwitchTest {

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void nothingRunsOn() {
        started.forEach(Process::destroyForcibly);
    }

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
        DeadMansSwitch told = startSwitch();
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
                assertThat(run(told, false, "true").waitFor()).isZero();
            }
        } finally {
            done.set(true);
            telling.join();
            told.end();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void signal_commandIsNotKnownYet_commandGetsItWhenItIs(boolean leader) throws Exception {
        DeadMansSwitch told = startSwitch();
        told.signal("TERM");

        assertThat(run(told, leader, "sleep", "1000").waitFor()).isEqualTo(143);
        told.end();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void killAfter_timeIsUpBeforeTheCommandIsKnown_commandIsKilled(boolean leader) throws Exception {
        DeadMansSwitch told = startSwitch();
        told.killAfter(() -> Duration.ZERO);

        assertThat(run(told, leader, "sleep", "1000").waitFor()).isEqualTo(137);
        told.end();
    }

    @Test
    void killAfter_putOffBeforeTheCommandIsKnown_commandRuns() throws Exception {
        DeadMansSwitch told = startSwitch();
        told.killAfter(() -> Duration.ZERO);
        told.killAfter(() -> Duration.ofHours(1));

        assertThat(run(told, false, "true").waitFor()).isZero();
        told.end();
    }

    /** The switch reads the begin of the line before its time is up, and the rest after that. */
    @Test
    void read_timeIsUpInTheMiddleOfALine_lineIsUnderstood() throws Exception {
        Process first = start("sleep", "1000");
        Process second = start("sleep", "1000");
        Process script = startScript();
        String soon = DeadMansSwitch.until(() -> Duration.ofMillis(300));
        write(script, "tree " + first.pid() + "\n" + soon + "\ntre");
        assertThat(first.waitFor()).isEqualTo(137);

        write(script, "e " + second.pid() + "\n");

        assertThat(second.waitFor()).isEqualTo(137);
        write(script, "end\n");
    }

    /** A name is what its owner likes, and stands in front of what the switch reads of a process. */
    @Test
    void signal_nameOfAnotherProcessHasTwoLines_otherIsLeftAlone() throws Exception {
        Path twoLines = directory.resolve("two\nlines");
        Files.copy(Path.of("/bin/sleep").toRealPath(), twoLines);
        Process other = start(twoLines.toString(), "1000");
        Process command = start("sleep", "1000");
        Process script = startScript();

        write(script, "tree " + command.pid() + "\nsignal KILL\nend\n");

        assertThat(script.waitFor()).isZero();
        assertThat(command.waitFor()).isEqualTo(137);
        assertThat(other.isAlive()).isTrue();
    }

    @Test
    void signal_commandStartsOthersAllTheWhile_noneIsLeft() throws Exception {
        Path pids = Files.createFile(directory.resolve("pids"));
        DeadMansSwitch told = startSwitch();
        String forks = "while :; do sleep 1000 & echo $! >> " + pids + "; done";
        Process command = run(told, false, "sh", "-c", "sh -c '" + forks + "' & wait");
        await().until(() -> Files.readAllLines(pids).size() >= 20);

        told.signal("KILL");

        assertThat(command.waitFor()).isEqualTo(137);
        told.end();
        assertThat(Files.readAllLines(pids))
                .allSatisfy(pid -> await().until(() -> Processes.isDead(Long.parseLong(pid))));
    }

    @Test
    void signal_parentEndedByTheSignalBefore_childIsFoundAgain() throws Exception {
        Path pids = directory.resolve("pids");
        DeadMansSwitch told = startSwitch();
        String deaf = "trap \"\" TERM; echo $$ > " + pids + ".new; mv " + pids + ".new " + pids + "; exec sleep 1000";
        Process command = run(told, false, "sh", "-c", "sh -c '" + deaf + "' & wait");
        await().until(() -> Files.exists(pids));
        told.signal("TERM");
        assertThat(command.waitFor()).isEqualTo(143);

        told.signal("KILL");

        await().until(() ->
                Processes.isDead(Long.parseLong(Files.readString(pids).trim())));
        told.end();
    }

    private static DeadMansSwitch startSwitch() throws IOException {
        return DeadMansSwitch.start(new Executables(Optional.empty())).orElseThrow();
    }

    private Process run(DeadMansSwitch told, boolean leader, String... command) throws IOException {
        List<String> line = new ArrayList<>(leader ? List.of("setsid") : List.of());
        line.addAll(told.prefix(leader));
        line.addAll(List.of(command));
        return start(Redirect.INHERIT, line);
    }

    private Process start(String... command) throws IOException {
        return start(Redirect.INHERIT, List.of(command));
    }

    private Process start(Redirect input, List<String> command) throws IOException {
        Process process = new ProcessBuilder(Processes.withDefaultSignals(command))
                .inheritIO()
                .redirectInput(input)
                .start();
        started.add(process);
        return process;
    }

    private Process startScript() throws IOException {
        return start(Redirect.PIPE, DeadMansSwitch.commandLine());
    }

    private static void write(Process script, String text) throws IOException {
        script.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        script.getOutputStream().flush();
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
