package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.cli.Cli.Ended;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every command works over Redis too. */
@Timeout(120)
class RedisTest {

    private static final String NAME = "orders/42";

    private static RedisProcess server;
    private static LockClient client;

    @BeforeAll
    static void start() {
        server = RedisProcess.start();
        client = LockClient.connect(
                uri(),
                ClientOptions.builder()
                        .clientName("owner")
                        .sessionTimeout(Duration.ofSeconds(8))
                        .build());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static String uri() {
        return "redis://" + server.address() + "?restartGuard=off";
    }

    private static Ended cli(String... arguments) {
        return new Cli().with("WELLKEEPER_STORE", uri()).run(arguments);
    }

    @Test
    void run_lockTaken_isRefusedUntilItIsFree() throws Exception {
        LockHandle held = client.lock(NAME).acquire();
        try (CliProcess refused = CliProcess.start("run", "--store", uri(), "--try", NAME, "--", "true")) {
            assertThat(refused.exitCode()).isEqualTo(75);
        }
        held.close();
        try (CliProcess run =
                CliProcess.start("run", "--store", uri(), NAME, "--", "sh", "-c", "echo $WELLKEEPER_FENCING_TOKEN")) {
            assertThat(Long.parseLong(run.line())).isPositive();
            assertThat(run.exitCode()).isZero();
            assertThat(run.errors()).isEmpty();
        }
    }

    @Test
    void looking_held_showsTheHolder() throws Exception {
        try (LockHandle held = client.lock(NAME).acquire();
                CliProcess watch = CliProcess.start("watch", "--store", uri(), "--json", NAME)) {
            held.checkHeld();

            assertThat(cli("ls").out()).contains(NAME);
            assertThat(cli("show", NAME).out()).contains("owner");
            assertThat(watch.line()).contains("owner");
        }
        await().until(() -> !cli("ls").out().contains(NAME));
    }

    @Test
    void taking_held_holderIsAskedAndThenLosesIt() throws Exception {
        LockHandle held = client.lock(NAME).acquire();
        CompletableFuture<String> asked = new CompletableFuture<>();
        held.onRevocationRequested((who, reason) -> asked.complete(reason));

        assertThat(cli("revoke", NAME, "--reason", "restart").exitCode()).isZero();
        assertThat(asked.get()).isEqualTo("restart");
        assertThat(cli("break", NAME, "--reason", "gone").exitCode()).isZero();
        await().until(() -> !held.isHeld());
    }

    @Test
    void doctor_serverThatKeepsNothing_warns() throws Exception {
        Ended doctor = cli("doctor");

        assertThat(doctor.exitCode()).isZero();
        assertThat(doctor.out()).contains("no deadlock").contains("warning: ").contains("appendonly");
        assertThat(new ObjectMapper()
                        .readTree(cli("doctor", "--json").out())
                        .at("/warnings/0")
                        .asText())
                .contains("appendonly");
    }

    @Test
    void connect_serverJustStarted_saysWhyItWaits() {
        try (RedisProcess fresh = RedisProcess.start()) {
            Ended ls = new Cli().run("--store", "redis://" + fresh.address(), "ls");

            assertThat(ls.exitCode()).isZero();
            assertThat(ls.err())
                    .startsWith("wellkeeper: still waiting after 6 s")
                    .contains("started lately")
                    .contains("restartGuard=off")
                    .hasLineCount(1);
        }
    }
}
