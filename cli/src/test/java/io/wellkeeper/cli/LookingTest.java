package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.cli.Cli.Ended;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.BufferedReader;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code ls} and {@code show} against a real server. */
@Timeout(120)
class LookingTest {

    private static ZooKeeperProcess server;
    private static LockClient client;

    private final String name = "test/" + UUID.randomUUID() + "/\u001b[31m";
    private final String shownName = name.replace("\u001b", "\\u{1b}");

    @BeforeAll
    static void start() {
        server = ZooKeeperProcess.start();
        client = LockClient.connect("zookeeper://" + server.address());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @Test
    void ls_prefix_listsItsLocksOnly() throws Exception {
        try (LockHandle held = client.lock(name).acquire();
                LockHandle other = client.lock("other/" + name).acquire()) {
            assertThat(cli().run("ls", "test/").out().lines())
                    .contains(shownName)
                    .noneMatch(line -> line.startsWith("other/"));
            assertThat(cli().run("ls").out().lines()).contains(shownName, "other/" + shownName);
            assertThat(new ObjectMapper()
                            .readTree(cli().run("ls", "--json", "test/").out()))
                    .extracting(JsonNode::asText)
                    .contains(name);
            held.checkHeld();
            other.checkHeld();
        }
    }

    @Test
    void show_heldAndAwaited_showsBothWithReason() throws Exception {
        LockOptions backup = LockOptions.builder().reason("back\nup").build();
        LockOptions report = LockOptions.builder().reason("report").handOvers(0).build();
        try (LockClient other = LockClient.connect("zookeeper://" + server.address());
                LockHandle held = client.lock(name, backup).acquire()) {
            CompletableFuture<LockHandle> waiting = other.lock(name, report).acquireAsync();
            await().until(() -> client.admin().inspect(name).waiters().size() == 1);

            Ended text = cli().run("show", name);
            JsonNode json = new ObjectMapper()
                    .readTree(cli().run("show", "--json", name).out());

            assertThat(text.exitCode()).isZero();
            assertThat(text.out().lines())
                    .satisfiesExactly(
                            headline -> assertThat(headline).isEqualTo(shownName + ": held, 1 waiting"),
                            heading -> assertThat(heading).contains("NUMBER", "TOKEN"),
                            holder -> assertThat(holder)
                                    .startsWith("holds")
                                    .contains(Long.toString(held.fencingToken()))
                                    .endsWith("back\\u{a}up"),
                            waiter -> assertThat(waiter).startsWith("waits").endsWith("report"));
            assertThat(json.get("name").asText()).isEqualTo(name);
            assertThat(json.at("/holders/0/reason").asText()).isEqualTo("back\nup");
            assertThat(json.at("/holders/0/fencingToken").asText()).isEqualTo(Long.toString(held.fencingToken()));
            assertThat(json.at("/holders/0/pid").asLong())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(json.at("/waiters/0/reason").asText()).isEqualTo("report");
            waiting.cancel(false);
            held.checkHeld();
        }
    }

    @Test
    void show_unknownName_saysFree() {
        assertThat(cli().run("show", "test/nobody").out().trim()).isEqualTo("test/nobody: free, nobody waits");
    }

    @Test
    void showWatch_holderComesAndGoes_writesALineForEachChange() throws Exception {
        try (CliProcess watch =
                CliProcess.start("show", name, "--watch", "--json", "--store", "zookeeper://" + server.address())) {
            ObjectMapper mapper = new ObjectMapper();
            assertThat(mapper.readTree(watch.line()).get("holders")).isEmpty();
            try (LockHandle held = client.lock(name).acquire()) {
                assertThat(mapper.readTree(watch.line()).get("holders")).hasSize(1);
                held.checkHeld();
            }
            assertThat(mapper.readTree(watch.line()).get("holders")).isEmpty();

            watch.signal("TERM");

            assertThat(watch.exitCode()).isEqualTo(143);
            assertThat(watch.errors()).isEmpty();
        }
    }

    @Test
    void showWatch_nobodyReadsAnyMore_endsQuietly() throws Exception {
        String java = ProcessHandle.current().info().command().orElseThrow();
        Process pipe = new ProcessBuilder(
                        "sh",
                        "-c",
                        "\"$0\" -cp \"$1\" io.wellkeeper.cli.Main --store \"$2\" show x --watch --json | head -n 1",
                        java,
                        System.getProperty("java.class.path"),
                        "zookeeper://" + server.address())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader reader = pipe.inputReader()) {
            assertThat(reader.readLine()).startsWith("{");
            AtomicReference<Optional<LockHandle>> held = new AtomicReference<>(Optional.empty());
            await().pollInterval(Duration.ofMillis(800))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> {
                        held.get().ifPresent(LockHandle::close);
                        held.set(
                                held.get().isPresent()
                                        ? Optional.empty()
                                        : client.lock("x").tryAcquire());
                        return !pipe.isAlive();
                    });
            assertThat(reader.readLine()).isNull();
            assertThat(pipe.exitValue()).isZero();
            held.get().ifPresent(LockHandle::close);
        } finally {
            pipe.descendants().forEach(ProcessHandle::destroyForcibly);
            pipe.destroyForcibly();
        }
    }

    private static Cli cli() {
        return new Cli().with("WELLKEEPER_STORE", "zookeeper://" + server.address());
    }
}
