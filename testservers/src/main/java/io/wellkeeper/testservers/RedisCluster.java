package io.wellkeeper.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Three masters of a Redis Cluster, each with a third of the slots and no replica. Not thread-safe. */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private final List<RedisProcess> masters = new ArrayList<>();

    private RedisCluster() {}

    /**
     * Starts the three masters and waits until each serves its slots.
     *
     * @param options of each server, as in {@link RedisProcess#start}
     */
    public static RedisCluster start(String... options) {
        RedisCluster cluster = new RedisCluster();
        try {
            for (int i = 0; i < MASTERS; i++) {
                List<String> all = new ArrayList<>(List.of(
                        "--cluster-enabled",
                        "yes",
                        "--cluster-node-timeout",
                        "2000",
                        "--cluster-require-full-coverage",
                        "no",
                        "--cluster-port",
                        Integer.toString(ZooKeeperProcess.freePort())));
                all.addAll(List.of(options));
                cluster.masters.add(RedisProcess.start(all.toArray(String[]::new)));
            }
            cluster.join();
            cluster.awaitServing();
            return cluster;
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    private void join() {
        RedisProcess first = masters.get(0);
        for (int i = 0; i < MASTERS; i++) {
            RedisProcess master = masters.get(i);
            String from = Integer.toString(SLOTS * i / MASTERS);
            String to = Integer.toString(SLOTS * (i + 1) / MASTERS - 1);
            master.call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            master.call("CLUSTER", "ADDSLOTSRANGE", from, to);
            if (i > 0) {
                master.call("CLUSTER", "MEET", "127.0.0.1", Integer.toString(first.port()), busPort(first));
            }
        }
    }

    private static String busPort(RedisProcess server) {
        List<?> setting = (List<?>) server.call("CONFIG", "GET", "cluster-port");
        return String.valueOf(setting == null ? "" : setting.get(1));
    }

    /** Waits until each master serves its slots and knows the slots of the others. */
    public void awaitServing() {
        RedisSentinels.await("masters that know all slots", this::complete);
    }

    /** Kills all masters, starts them again with the data that they have kept, and waits until they serve. */
    public void restart() {
        masters.forEach(RedisProcess::restart);
        awaitServing();
    }

    /** As {@link #restart()}, but without the data: the masters keep only their configuration of the Cluster. */
    public void restartWithoutData() {
        masters.forEach(RedisProcess::restartWithoutData);
        awaitServing();
    }

    /**
     * Moves a slot with all its keys to another master, while clients go on.
     *
     * @param slot the number of the slot
     * @param from the master that has the slot
     * @param to the master that gets the slot
     */
    public static void move(int slot, RedisProcess from, RedisProcess to) {
        String number = Integer.toString(slot);
        String source = String.valueOf(from.call("CLUSTER", "MYID"));
        String target = String.valueOf(to.call("CLUSTER", "MYID"));
        to.call("CLUSTER", "SETSLOT", number, "IMPORTING", source);
        from.call("CLUSTER", "SETSLOT", number, "MIGRATING", target);
        while (from.call("CLUSTER", "GETKEYSINSLOT", number, "1000") instanceof List<?> keys && !keys.isEmpty()) {
            List<String> command = new ArrayList<>(
                    List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"));
            keys.forEach(key -> command.add(String.valueOf(key)));
            from.call(command.toArray(String[]::new));
        }
        to.call("CLUSTER", "SETSLOT", number, "NODE", target);
        from.call("CLUSTER", "SETSLOT", number, "NODE", target);
    }

    private boolean complete() {
        return masters.stream()
                .map(master -> String.valueOf(master.call("CLUSTER", "INFO")))
                .allMatch(info -> info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS));
    }

    /** The masters, in the order of their slots. */
    public List<RedisProcess> masters() {
        return List.copyOf(masters);
    }

    /** Where clients connect: {@code 127.0.0.1:port,127.0.0.1:port,127.0.0.1:port}. */
    public String addresses() {
        return masters.stream().map(RedisProcess::address).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
    }
}
