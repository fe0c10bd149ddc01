package io.wellkeeper.spring.boot;

/** The kinds of stores to which an application may be connected already, and which can keep the locks too. */
public enum ReusedStore {
    /** The database of the only, or the primary, {@code DataSource}; with {@code wellkeeper-jdbc}. */
    DATA_SOURCE,
    /** The Redis servers of {@code spring.data.redis.*}; with {@code wellkeeper-redis}. */
    REDIS,
    /** The ZooKeeper servers of the only, or the primary, {@code CuratorFramework}; with {@code wellkeeper-zookeeper}. */
    CURATOR
}
