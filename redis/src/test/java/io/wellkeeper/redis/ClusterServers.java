package io.wellkeeper.redis;

import io.wellkeeper.testkit.process.RedisCluster;
import io.wellkeeper.testkit.process.RedisProcess;
import java.util.ArrayList;
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

    /** Has another master take a slot over, with all that is in it. */
    void move(int slot, RedisProcess from, RedisProcess to) {
        String number = Integer.toString(slot);
        String source = String.valueOf(from.call("CLUSTER", "MYID"));
        String target = String.valueOf(to.call("CLUSTER", "MYID"));
        to.call("CLUSTER", "SETSLOT", number, "IMPORTING", source);
        from.call("CLUSTER", "SETSLOT", number, "MIGRATING", target);
        List<?> there = (List<?>) from.call("CLUSTER", "GETKEYSINSLOT", number, "1000");
        List<String> command =
                new ArrayList<>(List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"));
        for (Object key : there == null ? List.of() : there) {
            command.add((String) key);
        }
        from.call(command.toArray(String[]::new));
        to.call("CLUSTER", "SETSLOT", number, "NODE", target);
        from.call("CLUSTER", "SETSLOT", number, "NODE", target);
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
