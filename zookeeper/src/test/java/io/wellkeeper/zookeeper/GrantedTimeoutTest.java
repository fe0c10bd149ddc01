package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server that grants sessions between 1 and 10 seconds. */
@ExtendWith(SharedServer.class)
class GrantedTimeoutTest {

    private final ZooKeeperProcess server;

    GrantedTimeoutTest(ZooKeeperProcess server) {
        this.server = server;
    }

    private static ClientOptions asking(Duration timeout) {
        return ClientOptions.builder().sessionTimeout(timeout).build();
    }

    private List<String> warnings(Duration timeout) {
        try (LockClient client = LockClient.connect("zookeeper://" + server.address(), asking(timeout))) {
            return client.admin().storeWarnings();
        }
    }

    @Test
    void warnings_timeoutGrantedAsAsked_none() {
        assertThat(warnings(Duration.ofSeconds(1))).isEmpty();
        assertThat(warnings(Duration.ofSeconds(10))).isEmpty();
    }

    @Test
    void warnings_timeoutGrantedIsAnother_saysBothAndWhatItMeans() {
        assertThat(warnings(Duration.ofSeconds(60)))
                .singleElement()
                .asString()
                .contains("10000 ms where 60000 ms were asked for", "sooner", "maxSessionTimeout");
        assertThat(warnings(Duration.ofMillis(600)))
                .singleElement()
                .asString()
                .contains("1000 ms where 600 ms were asked for", "longer", "minSessionTimeout");
    }

    @Test
    void warnings_connectionHandedIn_none() {
        try (CuratorFramework curator =
                CuratorFrameworkFactory.newClient(server.address(), 60_000, 4_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient client =
                    LockClient.over(ZooKeeperTicketStore.over(curator), asking(Duration.ofSeconds(30)))) {
                assertThat(client.admin().storeWarnings()).isEmpty();
            }
        }
    }
}
