package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.cli.Cli.Ended;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the command line does beyond the plain lock, against a real server. */
@Timeout(120)
class FamilyTest {

    private static ZooKeeperProcess server;
    private static LockClient client;

    private final List<CliProcess> started = new ArrayList<>();
    private final String name = "family/" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = ZooKeeperProcess.start();
        client = connect("owner");
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static LockClient connect(String clientName) {
        return LockClient.connect(
                "zookeeper://" + server.address(),
                ClientOptions.builder()
                        .clientName(clientName)
                        .sessionTimeout(Duration.ofSeconds(8))
                        .build());
    }

    private static Cli cli() {
        return new Cli().with("WELLKEEPER_STORE", "zookeeper://" + server.address());
    }

    private CliProcess run(String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of("--store", "zookeeper://" + server.address()));
        line.addAll(List.of(arguments));
        CliProcess run = CliProcess.start(line.toArray(String[]::new));
        started.add(run);
        return run;
    }

    @AfterEach
    void nothingRunsOn() {
        started.forEach(CliProcess::close);
    }

    @Test
    void run_read_goesWithOtherReadersAndNotWithTheLock() throws Exception {
        try (LockHandle reading = client.readWriteLock(name).readLock().acquire()) {
            assertThat(run("run", "--read", "--try", name, "--", "true").exitCode())
                    .isZero();
            assertThat(run("run", "--try", name, "--", "true").exitCode()).isEqualTo(75);
            reading.checkHeld();
        }
        try (LockHandle locked = client.lock(name).acquire()) {
            assertThat(run("run", "--read", "--try", name, "--", "true").exitCode())
                    .isEqualTo(75);
            locked.checkHeld();
        }
    }

    @Test
    void run_permits_areThoseOfTheSemaphore() throws Exception {
        try (LockHandle two = client.semaphore(name, 3).acquire(2)) {
            assertThat(run("run", "--permits", "3", "--try", name, "--", "true").exitCode())
                    .isZero();
            assertThat(run("run", "--permits", "3", "--take", "2", "--try", name, "--", "true")
                            .exitCode())
                    .isEqualTo(75);
            CliProcess other = run("run", "--permits", "4", "--try", name, "--", "true");
            assertThat(other.exitCode()).isEqualTo(64);
            assertThat(other.errors())
                    .singleElement()
                    .asString()
                    .contains("3 permits")
                    .contains("with 4");
            two.checkHeld();
        }
    }

    @Test
    void run_severalNames_isAllOrNone() throws Exception {
        String script = "test \"$WELLKEEPER_LOCKS\" = \"$(printf '%s\\n%s' " + name + "/a " + name + "/b)\""
                + " && test $(echo \"$WELLKEEPER_FENCING_TOKENS\" | wc -l) = 2"
                + " && test \"$WELLKEEPER_LOCK\" = " + name + "/a";

        assertThat(run("run", name + "/b", name + "/a", "--", "sh", "-c", script)
                        .exitCode())
                .isZero();
        try (LockHandle held = client.lock(name + "/b").acquire()) {
            assertThat(run("run", "--try", name + "/a", name + "/b", "--", "true")
                            .exitCode())
                    .isEqualTo(75);
            assertThat(client.admin().inspect(name + "/a").holders()).isEmpty();
            held.checkHeld();
        }
    }

    @Test
    void run_whatDoesNotGoTogether_isWrongUsage() {
        for (List<String> wrong : List.of(
                List.of("run", "--permits", "2", "--read", name, "--", "true"),
                List.of("run", "--permits", "2", name, name + "/b", "--", "true"),
                List.of("run", "--permits", "0", name, "--", "true"),
                List.of("run", "--take", "2", name, "--", "true"),
                List.of("run", name, name, "--", "true"),
                List.of("run", "wellkeeper:x", "--", "true"))) {
            Ended ended = cli().run(wrong.toArray(String[]::new));

            assertThat(ended.exitCode()).as("%s", wrong).isEqualTo(64);
            assertThat(ended.err().lines()).as("%s", wrong).hasSize(1);
        }
    }

    @Test
    void revoke_held_holderIsAsked() throws Exception {
        try (LockHandle held = client.lock(name).acquire()) {
            CompletableFuture<String> told = new CompletableFuture<>();
            held.onRevocationRequested((who, reason) -> told.complete(reason));

            Ended revoke = cli().run("revoke", name, "--reason", "restart");

            assertThat(revoke.exitCode()).isZero();
            assertThat(revoke.out()).contains("1 holder asked");
            assertThat(told.get()).isEqualTo("restart");
            held.checkHeld();
        }
        assertThat(cli().run("revoke", name).exitCode()).isEqualTo(1);
    }

    @Test
    void break_held_holderLosesItAndTheReasonIsShown() throws Exception {
        try (LockClient other = connect("former")) {
            LockHandle held = other.lock(name).acquire();
            LockHandle[] waiting = new LockHandle[1];
            CompletableFuture<LockHandle> next = client.lock(name).acquireAsync();
            await().until(() -> client.admin().inspect(name).waiters().size() == 1);

            Ended broken = cli().run("break", name, "--reason", "host is gone", "--json");

            assertThat(broken.exitCode()).isZero();
            JsonNode json = new ObjectMapper().readTree(broken.out());
            assertThat(json.at("/takenFrom/0/client").asText()).isEqualTo("former");
            waiting[0] = next.get();
            await().until(() -> !held.isHeld());
            assertThat(cli().run("show", name).out()).contains("broken by").contains("host is gone");
            waiting[0].close();
        }
        assertThat(cli().run("break", name, "--reason", "again").exitCode()).isEqualTo(1);
        assertThat(cli().run("break", name).exitCode()).isEqualTo(64);
    }

    @Test
    void doctor_twoThreadsCrosswise_findsTheCircle() throws Exception {
        assertThat(cli().run("doctor").exitCode()).isZero();
        try (LockClient other = connect("other")) {
            CountDownLatch bothHold = new CountDownLatch(2);
            Thread one = crosswise(client.lock(name + "/a"), client.lock(name + "/b"), bothHold);
            Thread two = crosswise(other.lock(name + "/b"), other.lock(name + "/a"), bothHold);

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> cli().run("doctor").exitCode() == 1);
            Ended doctor = cli().run("doctor", "--json");

            JsonNode circle = new ObjectMapper().readTree(doctor.out()).at("/deadlocks/0");
            assertThat(circle).hasSize(2);
            assertThat(circle.findValuesAsText("wants")).containsExactlyInAnyOrder(name + "/a", name + "/b");
            one.interrupt();
            two.interrupt();
            one.join();
            two.join();
        }
    }

    private static Thread crosswise(DistributedLock first, DistributedLock second, CountDownLatch bothHold) {
        Thread thread = new Thread(() -> {
            first.lock();
            try {
                bothHold.countDown();
                bothHold.await();
                second.lockInterruptibly();
                second.unlock();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            } finally {
                first.unlock();
            }
        });
        thread.start();
        return thread;
    }
}
