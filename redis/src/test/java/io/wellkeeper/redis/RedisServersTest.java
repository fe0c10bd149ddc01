package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.testservers.RedisCluster;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.RedisSentinels;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The servers that the other tests need do what is said of them. */
class RedisServersTest {

    @Test
    void restart_withoutPersistence_losesDataAndKeepsThePort() {
        try (RedisProcess server = RedisProcess.start()) {
            int port = server.port();
            server.call("SET", "k", "v");
            server.restart();

            assertThat(server.call("GET", "k")).isNull();
            assertThat(server.port()).isEqualTo(port);
        }
    }

    @Test
    void restart_withPersistence_keepsData() {
        try (RedisProcess server = RedisProcess.start("--appendonly", "yes")) {
            server.call("SET", "k", "v");
            server.restart();

            assertThat(server.call("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void pause_thenResume_serverAnswersAgain() {
        try (RedisProcess server = RedisProcess.start()) {
            server.pause();
            server.resume();

            assertThat(server.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void kill_whilePaused_endsIt() {
        try (RedisProcess server = RedisProcess.start()) {
            server.pause();
            server.kill();
            server.launch();
            server.awaitServing();

            assertThat(server.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void sentinels_masterKilled_anotherTakesOver() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisProcess first = group.master();
            first.kill();

            await().atMost(Duration.ofSeconds(30)).until(() -> group.master() != first);
        }
    }

    @Test
    void cluster_started_everyMasterHasItsSlots() {
        try (RedisCluster cluster = RedisCluster.start()) {
            assertThat(cluster.masters())
                    .allSatisfy(master -> assertThat(String.valueOf(master.call("CLUSTER", "INFO")))
                            .contains("cluster_known_nodes:3"));
        }
    }
}
