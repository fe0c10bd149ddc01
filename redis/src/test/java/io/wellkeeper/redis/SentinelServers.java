package io.wellkeeper.redis;

import io.wellkeeper.testkit.process.RedisProcess;
import io.wellkeeper.testkit.process.RedisSentinels;
import java.util.ArrayList;
import java.util.List;

/** A master, two replicas and three sentinels; they keep their data when they are restarted. */
final class SentinelServers implements Servers {

    private final RedisSentinels group = RedisSentinels.start(Servers.KEEPING_DATA);

    RedisSentinels group() {
        return group;
    }

    @Override
    public String uri() {
        return "redis-sentinel://" + group.addresses() + "/" + RedisSentinels.MASTER;
    }

    @Override
    public List<RedisProcess> all() {
        List<RedisProcess> all = new ArrayList<>(group.sentinels());
        all.addAll(group.servers());
        return all;
    }

    @Override
    public List<RedisProcess> masters() {
        return List.of(group.master());
    }

    @Override
    public void close() {
        group.close();
    }
}
