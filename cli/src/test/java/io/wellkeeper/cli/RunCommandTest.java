package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Participant;
import io.wellkeeper.cli.run.Processes;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code run}, as a process of its own, against a real server. */
@Timeout(120)
class RunCommandTest {

    private static final String BUSY = "while :; do sleep 0.05; done";

    private static ZooKeeperProcess server;
    private static LockClient client;

    private final String name = "test/" + UUID.randomUUID();
    private final List<CliProcess> started = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = ZooKeeperProcess.start();
        client = LockClient.connect(
                uri(server),
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(8)).build());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @AfterEach
    void nothingRunsOn() {
        started.forEach(CliProcess::close);
    }

    @Test
    void run_commandExits7_exits7AndSaysNothing() throws Exception {
        CliProcess run = run("--", "sh", "-c", "exit 7");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).isEmpty();
    }

    @Test
    void run_commandEndedBySignal9_exits137() throws Exception {
        assertThat(run("--", "sh", "-c", "kill -9 $$").exitCode()).isEqualTo(137);
    }

    @Test
    void run_commandReadsAndWrites_hasOurInputOutputAndError() throws Exception {
        CliProcess run = run("--", "sh", "-c", "cat; echo problem >&2");
        run.input("one\ntwo\n");

        assertThat(run.output()).containsExactly("one", "two");
        assertThat(run.errors()).containsExactly("problem");
    }

    @Test
    void run_twice_commandSeesNameAndGrowingToken() throws Exception {
        String script = "echo \"$WELLKEEPER_LOCK\"; echo \"$WELLKEEPER_FENCING_TOKEN\"";

        List<String> first = run("--", "sh", "-c", script).output();
        List<String> second = run("--", "sh", "-c", script).output();

        assertThat(first.get(0)).isEqualTo(name);
        assertThat(Long.parseLong(first.get(1))).isPositive().isLessThan(Long.parseLong(second.get(1)));
    }

    @ParameterizedTest
    @CsvSource({"--try, gone", "--pass-store, here"})
    void run_storeOfTheEnvironment_commandSeesItOnlyIfAsked(String option, String seen) throws Exception {
        CliProcess run = CliProcess.startWith(
                Map.of("WELLKEEPER_STORE", uri(server)),
                "run",
                option,
                name,
                "--",
                "sh",
                "-c",
                "[ -z \"$WELLKEEPER_STORE\" ] && echo gone || echo here");
        started.add(run);

        assertThat(run.output()).containsExactly(seen);
    }

    @Test
    void run_environmentWithWhatShellsTakeForThemselves_isTheCommandsAndDoesNotDisturb() throws Exception {
        Map<String, String> variables = Map.of("SHELLOPTS", "noexec", "spring.profiles.active", "night");
        CliProcess run = CliProcess.startWith(variables, "--store", uri(server), "run", name, "--", "env");
        started.add(run);

        assertThat(run.output()).contains("spring.profiles.active=night");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void run_nameBeginsWithDash_worksBehindDelimiter() throws Exception {
        CliProcess run = CliProcess.start(
                "--store", uri(server), "run", "--", "-" + name, "--", "sh", "-c", "echo \"$WELLKEEPER_LOCK\"");
        started.add(run);

        assertThat(run.output()).containsExactly("-" + name);
    }

    @ParameterizedTest
    @CsvSource({"--try,somebody has the lock", "--wait=200ms,the lock was not acquired in time"})
    void run_somebodyHasTheLock_exits75WithoutRunning(String option, String message) throws Exception {
        try (LockHandle held = client.lock(name).acquire()) {
            CliProcess run = run(option, "--", "echo", "ran");

            assertThat(run.exitCode()).isEqualTo(75);
            assertThat(run.output()).isEmpty();
            assertThat(run.errors()).containsExactly("wellkeeper: " + name + ": " + message);
            held.checkHeld();
        }
    }

    @Test
    void run_lockReleasedWhileItWaits_runs() throws Exception {
        CliProcess run;
        try (LockHandle held = client.lock(name).acquire()) {
            run = run("--wait", "60s", "--", "echo", "ran");
            awaitWaiter();
            held.checkHeld();
        }

        assertThat(run.line()).isEqualTo("ran");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void run_whileCommandRuns_lockIsHeldAndShowsWhy() throws Exception {
        CliProcess run = run("--reason", "yearly", "--", "sh", "-c", "echo ready; cat");
        run.line();

        assertThat(client.lock(name).tryAcquire()).isEmpty();
        assertThat(client.admin().inspect(name).holders())
                .extracting(Participant::reason)
                .containsExactly("yearly");
        run.input("");
        assertThat(run.exitCode()).isZero();
        assertFree();
    }

    @ParameterizedTest
    @CsvSource({"TERM", "USR1", "USR2"})
    void run_signalWhileCommandRuns_commandGetsItAndItsExitCodeCounts(String signal) throws Exception {
        CliProcess run = run("--", "sh", "-c", "trap 'echo got; exit 3' " + signal + "; echo ready; " + BUSY);
        run.line();

        run.signal(signal);

        assertThat(run.line()).isEqualTo("got");
        assertThat(run.exitCode()).isEqualTo(3);
        assertFree();
    }

    @Test
    void run_signalThatEndsTheCommand_exits128PlusSignal() throws Exception {
        CliProcess run = run("--", "sh", "-c", "echo ready; " + BUSY);
        run.line();

        run.signal("TERM");

        assertThat(run.exitCode()).isEqualTo(143);
        assertFree();
    }

    @Test
    void run_signalWhileWaiting_exits143AndLeavesTheQueue() throws Exception {
        try (LockHandle held = client.lock(name).acquire()) {
            CliProcess run = run("--", "echo", "ran");
            awaitWaiter();

            run.signal("TERM");

            assertThat(run.exitCode()).isEqualTo(143);
            assertThat(run.output()).isEmpty();
            assertThat(client.admin().inspect(name).waiters()).isEmpty();
            held.checkHeld();
        }
    }

    @Test
    void run_graceTooLong_isCutWithAWarning() throws Exception {
        CliProcess run = run("--grace", "1h", "--", "true");

        assertThat(run.errors()).singleElement().asString().contains("--grace is cut to");
        assertThat(run.exitCode()).isZero();
    }

    @Tag("full")
    @Test
    void run_storeDies_wholeFamilyIsEndedAndExits79() throws Exception {
        try (ZooKeeperProcess doomed = ZooKeeperProcess.start()) {
            CliProcess run = CliProcess.start(
                    "--store", uri(doomed) + "?sessionTimeout=3s", "run", name, "--", "sh", "-c", family());
            started.add(run);
            List<Long> family = pids(run);

            doomed.kill();

            assertThat(run.exitCode()).isEqualTo(79);
            assertThat(run.errors()).last().asString().contains("lock lost while the command ran");
            assertThat(family).allSatisfy(pid -> await().until(() -> Processes.isDead(pid)));
        }
    }

    @Tag("full")
    @Test
    void run_storeDiesAndTheLossIsIgnored_commandEndsByItselfWithItsOwnExitCode() throws Exception {
        try (ZooKeeperProcess doomed = ZooKeeperProcess.start()) {
            CliProcess run = CliProcess.start(
                    "--store",
                    uri(doomed) + "?sessionTimeout=2s",
                    "run",
                    "--on-lost=ignore",
                    name,
                    "--",
                    "sh",
                    "-c",
                    "echo ready; read line; exit 5");
            started.add(run);
            assertThat(run.line()).isEqualTo("ready");

            doomed.kill();
            run.awaitError("lock lost: the command runs on without it");
            run.input("go on\n");

            assertThat(run.exitCode()).isEqualTo(5);
        }
    }

    @Test
    void run_pausedBeyondItsSession_commandIsKilledOnWakingAndExits79() throws Exception {
        CliProcess run = CliProcess.start(
                "--store", uri(server) + "?sessionTimeout=2s", "run", name, "--", "sh", "-c", family());
        started.add(run);
        List<Long> family = pids(run);

        run.signal("STOP");
        Optional<LockHandle> taken = client.lock(name).tryAcquire(Duration.ofSeconds(30));
        run.signal("CONT");

        assertThat(run.exitCode()).isEqualTo(79);
        assertThat(family).allSatisfy(pid -> await().until(() -> Processes.isDead(pid)));
        assertThat(taken).hasValueSatisfying(LockHandle::close);
    }

    @Test
    void run_killed9_commandIsEnded() throws Exception {
        CliProcess run = run("--", "sh", "-c", "echo $$; exec sleep 1000");
        long pid = Long.parseLong(run.line());

        run.signal("KILL");

        await().until(() -> Processes.isDead(pid));
    }

    /** A shell and its child, both deaf to TERM, that say who they are. */
    private static String family() {
        return "trap '' TERM; sleep 1000 & echo $$; echo $!; " + BUSY;
    }

    private static List<Long> pids(CliProcess run) throws InterruptedException {
        return List.of(Long.valueOf(run.line()), Long.valueOf(run.line()));
    }

    private CliProcess run(String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of("--store", uri(server), "run", name));
        line.addAll(List.of(arguments));
        CliProcess run = CliProcess.start(line.toArray(new String[0]));
        started.add(run);
        return run;
    }

    private void awaitWaiter() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> client.admin().inspect(name).waiters().size() == 1);
    }

    private void assertFree() {
        assertThat(client.lock(name).tryAcquire()).hasValueSatisfying(LockHandle::close);
    }

    private static String uri(ZooKeeperProcess of) {
        return "zookeeper://" + of.address();
    }
}
