package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.cli.run.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} as a person uses it: its command has the terminal, and what is pressed there. */
@Timeout(120)
class RunTerminalTest {

    private final List<Long> family = new ArrayList<>();
    private String store = "";
    private String run = ""; // a line for a shell, up to the command
    private String longStore = ""; // the same, for those who stand still for a while

    @TempDir
    private Path directory;

    @BeforeEach
    void findTerminal() throws IOException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "there is no script(1)");
        store = "jdbc:sqlite:" + directory.resolve("locks.db") + "?sessionTimeout=2s";
        longStore = store.replace("=2s", "=60s");
        run = CliProcess.writeProgram(directory) + " run --store '" + longStore + "' terminal -- ";
    }

    @AfterEach
    void nothingRunsOn() {
        family.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    @Test
    void run_inATerminal_commandIsInItsForeground() throws Exception {
        String groups = "read -r _ _ _ _ group _ _ foreground _ </proc/$$/stat; echo $((group - foreground)); tty";

        try (CliProcess run = run(groups)) {
            assertThat(run.line()).isEqualTo("0");
            assertThat(run.line()).startsWith("/dev/");
            assertThat(run.exitCode()).isZero();
        }
    }

    @Test
    void run_interruptIsPressed_commandGetsItOnce() throws Exception {
        try (CliProcess run = run("trap 'echo interrupted' INT; echo ready; read line; echo end; exit 4")) {
            assertThat(run.line()).isEqualTo("ready");
            run.press("\u0003");
            assertThat(run.line()).endsWith("interrupted");

            run.press("\r");

            assertThat(run.output())
                    .filteredOn(line -> line.contains("interrupted"))
                    .isEmpty();
            assertThat(run.exitCode()).isEqualTo(4);
        }
    }

    @Test
    void run_killed9_familyIsDeadBeforeTheNextHolder() throws Exception {
        String script = "trap '' TERM; sh -c 'sleep 1000 & echo $!; wait' & echo $!; echo $$; echo launcher $PPID;"
                + " while :; do sleep 0.05; done";
        try (LockClient client = LockClient.connect(store);
                CliProcess run = run(script)) {
            long launcher = 0;
            for (int i = 0; i < 4; i++) {
                String line = run.line();
                if (line.startsWith("launcher ")) {
                    launcher = Long.parseLong(line.substring(line.indexOf(' ') + 1));
                } else {
                    family.add(Long.valueOf(line));
                }
            }
            await().until(() -> family.stream().noneMatch(Processes::isDead));

            ProcessHandle.of(launcher).orElseThrow().destroyForcibly();
            Optional<LockHandle> next = client.lock("terminal").tryAcquire(Duration.ofSeconds(30));

            assertThat(next).isPresent();
            assertThat(family).allMatch(Processes::isDead);
        }
    }

    @Test
    void run_stoppedByTheTerminal_goesOnInTheForegroundOfTheShell() throws Exception {
        try (CliProcess shell = CliProcess.startShellInTerminal()) {
            shell.press(run + "sh -c 'echo rea\\dy $$; read line; echo got $line; exit 4'\r");
            String ready = shell.lineWith("ready");
            long command = Long.parseLong(ready.substring(ready.lastIndexOf(' ') + 1));
            shell.press("\u001a");
            // This the shell says of its own child; the command may still read what is pressed.
            shell.lineWith("Stopped");
            await().until(() -> Processes.isStopped(command));

            shell.press("fg\r");
            shell.lineWith(
                    "terminal -- sh"); // the terminal is the job's from here on: the shell tells what it continues
            shell.press("what was pressed\r");

            shell.lineWith("got what was pressed");
            shell.press("echo exit code $?\r");
            shell.lineWith("exit code 4");
        }
    }

    @Test
    void run_shellWithJobControl_hasTheTerminalAndGivesItBack() throws Exception {
        try (CliProcess shell = CliProcess.startShellInTerminal()) {
            shell.press(run + "bash --norc --noprofile -i\r");
            shell.press("PS1=''; echo inside $((40 + 2)); sh -c 'echo sleeping; exec sleep 1000'\r");
            shell.lineWith("inside 42");
            shell.lineWith("sleeping");
            shell.press("\u0003");
            shell.press("echo still inside, after $?\r");
            shell.lineWith("still inside, after 130");
            shell.press("exit 3\r");

            shell.press("echo outside, after $?; read line; echo pressed $line\r");
            shell.lineWith("outside, after 3");
            shell.press("again\r");
            shell.lineWith("pressed again");
        }
    }

    @Test
    void watch_in80Columns_noLineIsLonger() throws Exception {
        LockOptions wordy = LockOptions.builder().reason("why ".repeat(40)).build();
        try (LockClient client = LockClient.connect(longStore);
                LockHandle held = client.lock("n".repeat(100), wordy).acquire();
                CliProcess watch = CliProcess.startInTerminal("watch", "--store", longStore, held.name())) {
            assertThat(watch.lineWith(": held, 0 waiting").replaceAll("\u001b\\[[0-9]*[A-Z]", ""))
                    .hasSize(80);
            assertThat(watch.line()).hasSizeLessThanOrEqualTo(80).contains("TOKEN");
            assertThat(watch.line())
                    .hasSizeLessThanOrEqualTo(80)
                    .startsWith("holds")
                    .contains(Long.toString(held.fencingToken()));

            watch.press("\u0003");

            assertThat(watch.exitCode()).isEqualTo(130);
        }
    }

    private CliProcess run(String script) throws Exception {
        return CliProcess.startInTerminal("--store", store, "run", "terminal", "--", "sh", "-c", script);
    }
}
