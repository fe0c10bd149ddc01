package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;

class HandlesTest {

    private static final String NOBODY = "127.0.0.1:1";

    private final Handles handles = new Handles();

    private ZooKeeper make() throws Exception {
        return handles.newZooKeeper(NOBODY, 1_000, event -> {}, false, new ZKClientConfig());
    }

    @Test
    void close_severalMade_allAreClosed() throws Exception {
        ZooKeeper first = make();
        ZooKeeper second = handles.newZooKeeper(NOBODY, 1_000, event -> {}, false);
        assertThat(first.getState().isAlive()).isTrue();

        handles.close();

        assertThat(first.getState().isAlive()).isFalse();
        assertThat(second.getState().isAlive()).isFalse();
    }

    @Test
    void newZooKeeper_afterClose_isClosed() throws Exception {
        handles.close();

        assertThat(make().getState().isAlive()).isFalse();
    }
}
