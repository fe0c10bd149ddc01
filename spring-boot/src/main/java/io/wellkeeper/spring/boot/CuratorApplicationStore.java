package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;
import io.wellkeeper.zookeeper.ZooKeeperTicketStore;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;

/**
 * The application's connection to ZooKeeper. The client shares it, because Curator does not tell how to make a similar
 * one.
 */
final class CuratorApplicationStore implements ApplicationStore {

    private final CuratorFramework curator;

    CuratorApplicationStore(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public ReusedStore kind() {
        return ReusedStore.CURATOR;
    }

    @Override
    public LockClient connect(LockClients clients) {
        if (curator.getState() != CuratorFrameworkState.STARTED) {
            throw new StoreConfigurationException(
                    "The CuratorFramework bean, which is to keep locks, is not started.",
                    "Give its bean method initMethod = \"start\", or start it before it is returned.",
                    null);
        }
        return clients.over(ZooKeeperTicketStore.over(curator));
    }
}
