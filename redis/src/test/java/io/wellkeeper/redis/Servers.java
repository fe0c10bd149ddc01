package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisProcess;
import java.util.List;

/** Real servers in one arrangement, and how clients find them. */
interface Servers extends AutoCloseable {

    /**
     * What a killed server has answered it still has when it is started again. By default it is not so: while Redis forces
     * its file to the disk, which it does once a second, it answers first and writes later.
     */
    String[] KEEPING_DATA = {"--appendonly", "yes", "--appendfsync", "no"};

    /** The URI without its parameters. */
    String uri();

    /** All that clients connect to. */
    List<RedisProcess> all();

    /** Those that keep locks, each a part of them. */
    List<RedisProcess> masters();

    /** The one that keeps what is in a slot. */
    default RedisProcess master(int slot) {
        return masters().get(0);
    }

    /** In how many partitions the locks are. */
    default int partitions() {
        return Keys.SINGLE;
    }

    default boolean isCluster() {
        return false;
    }

    /** Those that keep locks are killed, and started again. */
    default void restart() {
        masters().forEach(RedisProcess::restart);
    }

    /** Those that keep locks are killed, and started again without their data. */
    default void loseData() {
        masters().forEach(RedisProcess::restartWithoutData);
    }

    /** Nobody answers any more. */
    default void pause() {
        all().forEach(RedisProcess::pause);
    }

    default void resume() {
        all().forEach(RedisProcess::resume);
    }

    /** Calls of scripts that clients have sent. */
    default long scripts() {
        return masters().stream()
                .mapToLong(server -> server.calls("evalsha") + server.calls("eval"))
                .sum();
    }

    @Override
    void close();
}
