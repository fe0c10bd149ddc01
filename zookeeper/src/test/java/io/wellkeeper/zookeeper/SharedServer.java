package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server for all test classes; after every test it must hold no watch, no ticket and no connection any more. */
final class SharedServer implements ParameterResolver, AfterEachCallback {

    static StoreUri uri(ZooKeeperProcess server, String rest) {
        return StoreUri.parse("zookeeper://" + server.address() + rest);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ZooKeeperProcess.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        ZooKeeperProcess server = server(context);
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            Map<String, String> counters = server.counters();
            assertThat(counters.get("zk_watch_count")).isEqualTo("0");
            assertThat(counters.get("zk_ephemerals_count")).isEqualTo("0");
            assertThat(counters.get("zk_num_alive_connections")).isEqualTo("1"); // the one that asks
        });
    }

    private static ZooKeeperProcess server(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(SharedServer.class))
                .computeIfAbsent("server", key -> ZooKeeperProcess.start(), ZooKeeperProcess.class);
    }
}
