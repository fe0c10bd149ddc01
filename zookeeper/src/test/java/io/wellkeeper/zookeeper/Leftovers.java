package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;

/** What is left on a server below the root of all locks. */
final class Leftovers {

    private Leftovers() {}

    /** Waits until there are no nodes but the roots, and no watches. The server must reap containers fast. */
    static void awaitNone(ZooKeeperProcess server) {
        try (CuratorFramework onlooker = CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false) // it would leave a watch of its own
                .build()) {
            onlooker.start();
            await().atMost(Duration.ofMinutes(1))
                    .ignoreException(KeeperException.NoNodeException.class)
                    .untilAsserted(() -> {
                        List<String> nodes = nodes(onlooker);
                        assertThat(nodes).isSubsetOf("/wellkeeper", "/wellkeeper/locks");
                        assertThat(server.watchCount()).isZero();
                    });
        }
    }

    private static List<String> nodes(CuratorFramework onlooker) throws Exception {
        return onlooker.checkExists().forPath("/wellkeeper") == null
                ? List.of()
                : ZKUtil.listSubTreeBFS(onlooker.getZookeeperClient().getZooKeeper(), "/wellkeeper");
    }
}
