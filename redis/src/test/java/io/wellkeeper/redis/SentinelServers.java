package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.RedisSentinels;
import java.time.Duration;
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

    /** Who is the master only sentinels know. */
    @Override
    public void restart() {
        group.sentinels().forEach(RedisProcess::resume);
        Servers.super.restart();
    }

    /** Nobody takes the place of the master meanwhile, for he would have the data. */
    @Override
    public void loseData() {
        group.patience(Duration.ofMinutes(1));
        group.master().restartWithoutData();
        group.awaitAnswers(); // else they may still take it for silent
        group.patience(RedisSentinels.PATIENCE);
    }

    @Override
    public void close() {
        group.close();
    }
}
