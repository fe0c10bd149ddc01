package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.cli.run.Processes;
import io.wellkeeper.testservers.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code torture}, from end to end. */
@Tag("full")
@Timeout(180)
class TortureCommandTest {

    @TempDir
    private Path temporary;

    private String out() {
        return temporary.resolve("out").toString();
    }

    @Test
    void torture_ownStore_usesItThroughProxiesAndLeavesAReport() throws Exception {
        try (RedisProcess server = RedisProcess.start("--requirepass", "canary");
                CliProcess torture = CliProcess.start(
                        "torture",
                        "--store",
                        "redis://:canary@" + server.address() + "?restartGuard=off",
                        "--seed",
                        "22",
                        "--duration",
                        "3s",
                        "--workers",
                        "2",
                        "--locks",
                        "2",
                        "--faults",
                        "cut,writes-after-a-pause",
                        "--out",
                        out())) {
            assertThat(torture.line()).startsWith("torture with the seed 22, for about 3 s of faults, into ");
            String acquisitions = torture.line();
            assertThat(acquisitions).startsWith("acquisitions ").contains(" of 2 locks, by 2 processes,");
            List<String> rest = torture.output();
            assertThat(rest).anyMatch(line -> line.startsWith("faults ") && line.contains(" pause"));
            assertThat(rest).contains("violations    none");
            assertThat(torture.exitCode()).isZero();
            assertThat(torture.errors()).isEmpty();
            assertThat(Files.readString(temporary.resolve("out/report.html")))
                    .contains("torture with the seed 22")
                    .contains(acquisitions);

            Cli.Ended again = new Cli().run("torture", "check", out());
            assertThat(again.exitCode()).isZero();
            assertThat(again.out()).startsWith(acquisitions);
        }
    }

    @Test
    void torture_ended_leavesNoProcessBehindAndShowedNoPassword() throws Exception {
        try (RedisProcess server = RedisProcess.start("--requirepass", "canary")) {
            Path file = Files.writeString(
                    temporary.resolve("store"), "redis://:canary@" + server.address() + "?restartGuard=off");
            try (CliProcess torture =
                    CliProcess.start("torture", "--store-file", file.toString(), "--faults", "pause", "--out", out())) {
                assertThat(torture.line()).startsWith("torture with the seed ");
                awaitFault();
                List<Long> started = torture.descendants();
                assertThat(started)
                        .hasSize(3)
                        .noneMatch(pid -> Processes.commandLine(pid).contains("canary"));
                torture.signal("TERM");
                assertThat(torture.exitCode()).isEqualTo(143);
                assertThat(started).allSatisfy(pid -> await().until(() -> Processes.isDead(pid)));
            }
        }
    }

    @Test
    void torture_serverDiesByItself_exitsWithItsOwnCodeAndSaysWhichAndHow() throws Exception {
        try (CliProcess torture =
                CliProcess.start("torture", "--store", "redis:embedded", "--faults", "pause", "--out", out())) {
            assertThat(torture.line()).startsWith("torture with the seed ");
            awaitFault();
            long server = torture.descendants().stream()
                    .filter(pid -> Processes.commandLine(pid).contains("/redis-server 127.0.0.1:"))
                    .findFirst()
                    .orElseThrow();
            assertThat(new ProcessBuilder("kill", "-SEGV", Long.toString(server))
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(torture.exitCode()).isEqualTo(ExitCode.STORE_UNAVAILABLE);
            assertThat(torture.output())
                    .contains("violations    none")
                    .anyMatch(
                            line -> line.matches("ended early   after .*: death of Redis at 127.0.0.1:\\d+, by SIGSEGV "
                                    + "\\(exit code 139\\), which torture had not brought about"));
            assertThat(torture.errors()).hasSize(21);
            assertThat(torture.errors().get(0))
                    .matches("wellkeeper: Redis at 127.0.0.1:\\d+ has died by itself, by SIGSEGV \\(exit code 139\\), "
                            + "so the run ended; the last of what it wrote:");
            assertThat(temporary.resolve("out/dead-server.log")).content().contains("crashed by signal: 11");
            Cli.Ended again = new Cli().run("torture", "check", out());
            assertThat(again.exitCode()).isZero();
            assertThat(again.out()).contains("ended early   after ");
        }
    }

    /** Somebody is stopped from then on. */
    private void awaitFault() {
        Path history = temporary.resolve("out/controller.history");
        await().atMost(Duration.ofSeconds(100))
                .until(() -> Files.exists(history) && Files.readString(history).contains(" struck "));
    }

    @Test
    void check_brokenPromise_exitsWithOneAndSaysWhich() throws IOException {
        Files.writeString(temporary.resolve("made-up.history"), """
                0 setting 0 0 session-timeout 2000000000 0
                0 setting 0 0 bound 2000000000 0
                0 lock 0 0 a 1 1
                1000 request 1 1 a 1 -1
                2000 granted 1 1 - 1 0
                2000 held 1 1 - 1 900
                2500 request 2 1 a 1 -1
                3000 granted 2 1 - 2 0
                3000 held 2 1 - 1 900
                4000 release 2 1 - 0 0
                4000 released 2 1 - 1 0
                5000 release 1 1 - 0 0
                5000 released 1 1 - 1 0
                """);
        Path page = temporary.resolve("elsewhere.html");
        Cli.Ended ended = new Cli().run("torture", "check", temporary.toString(), "--page", page.toString());
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out()).contains("violations    1: 1 overlap").contains("page          " + page);
        assertThat(page).exists();
    }

    @Test
    void torture_wrongArguments_sayWhatIsWrong() throws IOException {
        assertThat(new Cli().run("torture").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(new Cli()
                        .run("torture", "--store", "jdbc:sqlite:x", "--workers", "0")
                        .exitCode())
                .isEqualTo(ExitCode.USAGE);
        assertThat(new Cli()
                        .run("torture", "--store", "jdbc:sqlite:x", "--out", temporary.toString())
                        .exitCode())
                .isEqualTo(ExitCode.CANNOT_CREATE);
        Cli.Ended none = new Cli().run("torture", "check", temporary.toString());
        assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(none.err()).contains("no history in ");
        String store = "jdbc:sqlite:" + temporary.resolve("locks.db");
        Cli.Ended fault = new Cli().run("torture", "--store", store, "--faults", "cut", "--out", out());
        assertThat(fault.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(fault.err())
                .contains(
                        "cannot have the fault 'cut', only burst, kill, kill-waiter, pause, pause-waiter, short-pause");
        assertThat(temporary.resolve("out")).isEmptyDirectory();
    }

    @Test
    void torture_scenarios_areShownWithWhoseLocksTheyHurt() {
        Cli.Ended ended = new Cli().run("torture", "--scenarios");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("writes-after-a-pause       Curator, Redisson: a process that stood still");
    }
}
