package io.wellkeeper.torture;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

/** The servers that a run can start by itself. */
enum Arrangement {
    /** One ZooKeeper server. */
    ZOOKEEPER(unused -> ZooKeeperServers.single()),
    /** Three ZooKeeper servers, one of which leads. */
    ZOOKEEPER_ENSEMBLE(unused -> ZooKeeperServers.ensemble()),
    /** One Redis server that keeps a log. */
    REDIS(RedisServers::logged),
    /** One Redis server that keeps snapshots only. */
    REDIS_SNAPSHOTS(RedisServers::snapshots),
    /** A Redis master, two replicas and three sentinels. */
    REDIS_SENTINEL(RedisServers::sentinel),
    /** Three masters of a Redis Cluster. */
    REDIS_CLUSTER(RedisServers::cluster),
    /** One PostgreSQL server. */
    POSTGRESQL(unused -> SqlServers.postgres()),
    /** One MariaDB server. */
    MARIADB(unused -> SqlServers.mariaDb()),
    /** A file of SQLite. */
    SQLITE(unused -> SqlServers.sqlite()),
    /** One ZooKeeper server, for simple locks. */
    ZOOKEEPER_SIMPLE(unused -> LeaseServers.zooKeeper(ZooKeeperServers.single())),
    /** One Redis server that keeps a log, for simple locks. */
    REDIS_SIMPLE(session -> LeaseServers.redis(RedisServers.logged(session), "redis-simple")),
    /** One Redis server that keeps a log, for simple locks in the layout of Redisson. */
    REDIS_REDISSON(session -> LeaseServers.redis(RedisServers.logged(session), "redis-redisson")),
    /** Five Redis servers that do not know of each other. */
    REDLOCK(session -> LeaseServers.redis(RedisServers.independent(session), "redlock")),
    /** One PostgreSQL server, for simple locks in a table. */
    POSTGRESQL_SIMPLE(unused -> LeaseServers.sql(SqlServers.postgres())),
    /** One MariaDB server, for simple locks in a table. */
    MARIADB_SIMPLE(unused -> LeaseServers.sql(SqlServers.mariaDb())),
    /** A file of SQLite, for simple locks in a table. */
    SQLITE_SIMPLE(unused -> LeaseServers.sql(SqlServers.sqlite()));

    private final Function<Duration, Servers> starter;

    Arrangement(Function<Duration, Servers> starter) {
        this.starter = starter;
    }

    /**
     * Starts the servers, and waits until they serve.
     *
     * @param sessionTimeout of the clients that will use them
     */
    Servers start(Duration sessionTimeout) {
        return starter.apply(sessionTimeout);
    }

    /** The name of this arrangement on a command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
