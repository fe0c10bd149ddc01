package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisCluster;
import io.wellkeeper.testservers.RedisProcess;
import java.util.List;

/** A Cluster of three masters, which keep their data when they are restarted. */
final class ClusterServers implements Servers {

    private static final int SLOTS = 16_384;

    private final RedisCluster cluster = RedisCluster.start(Servers.KEEPING_DATA);

    @Override
    public String uri() {
        return "redis-cluster://" + cluster.addresses();
    }

    @Override
    public List<RedisProcess> all() {
        return cluster.masters();
    }

    @Override
    public List<RedisProcess> masters() {
        return cluster.masters();
    }

    @Override
    public RedisProcess master(int slot) {
        return masters().get(slot * masters().size() / SLOTS);
    }

    @Override
    public int partitions() {
        return Keys.CLUSTER;
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public void restart() {
        cluster.restart();
    }

    @Override
    public void loseData() {
        cluster.restartWithoutData();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
