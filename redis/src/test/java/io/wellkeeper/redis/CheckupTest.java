package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the operator of a server is warned of. */
class CheckupTest {

    private static List<String> warnings(RedisProcess server) {
        try (LockClient client = LockClient.connect(
                "redis://" + server.address() + "?restartGuard=off",
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(30)).build())) {
            return client.admin().storeWarnings();
        }
    }

    @Test
    void warnings_serverSetUpWell_areNone() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes")) {
            assertThat(warnings(server)).isEmpty();
        }
    }

    @Test
    void warnings_policyThatEvicts_namesIt() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes", "--maxmemory-policy", "volatile-lru")) {
            assertThat(warnings(server)).singleElement().asString().contains("maxmemory-policy is volatile-lru");
        }
    }

    @Test
    void warnings_nothingOnDisk_saysSo() {
        try (RedisProcess server = RedisProcess.start()) {
            assertThat(warnings(server)).singleElement().asString().contains("appendonly is no", "all locks");
        }
    }

    @Test
    void warnings_snapshotsOnly_saysWhatARestartForgets() {
        try (RedisProcess server = RedisProcess.start()) {
            server.call("CONFIG", "SET", "save", "3600 1");

            assertThat(warnings(server))
                    .singleElement()
                    .asString()
                    .contains("appendonly is no", "since the last snapshot");
        }
    }

    @Test
    void warnings_logIsNotForcedToTheDisk_saysSo() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes", "--appendfsync", "no")) {
            assertThat(warnings(server)).singleElement().asString().contains("appendfsync is no");
        }
    }

    @Test
    void warnings_configNotAllowed_sayWhatCanBeSeenWithoutIt() {
        try (RedisProcess server =
                RedisProcess.start("--rename-command", "CONFIG", "", "--appendonly", "yes", "--appendfsync", "no")) {
            assertThat(warnings(server)).isEmpty();
        }
        try (RedisProcess server = RedisProcess.start("--rename-command", "CONFIG", "")) {
            assertThat(warnings(server)).singleElement().asString().contains("appendonly is no", "no snapshot has");
        }
    }

    @Test
    void warnings_infoNotAllowed_saysSo() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes")) {
            server.call("ACL", "SETUSER", "default", "-info");

            assertThat(warnings(server)).singleElement().asString().contains("may not ask for INFO");
        }
    }

    @Test
    void warnings_replicasThatNeedNotBeThere_saysSo() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes");
                RedisProcess replica =
                        RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()))) {
            await().until(() -> "1".equals(server.info("replication").get("connected_slaves")));
            assertThat(warnings(server)).singleElement().asString().contains("min-replicas-to-write");
            server.call("CONFIG", "SET", "min-replicas-to-write", "1");
            await().until(() -> "1".equals(server.info("replication").get("min_slaves_good_slaves")));

            assertThat(warnings(server)).isEmpty();
            assertThat(replica.port()).isPositive();
        }
    }

    @Test
    void ofClock_clocksThatDiffer_saysByHowMuch() {
        assertThat(Checkup.ofClock(Duration.ofMillis(900))).isEmpty();
        assertThat(Checkup.ofClock(Duration.ofMillis(-900))).isEmpty();
        assertThat(Checkup.ofClock(Duration.ofMillis(1_200)))
                .hasValueSatisfying(said -> assertThat(said).contains("1.2 seconds ahead of"));
        assertThat(Checkup.ofClock(Duration.ofSeconds(-90)))
                .hasValueSatisfying(said -> assertThat(said).contains("90.0 seconds behind"));
    }
}
