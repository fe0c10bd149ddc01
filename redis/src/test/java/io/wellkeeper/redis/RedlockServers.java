package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisProcess;
import java.util.List;
import java.util.stream.Stream;

/** Five servers that know nothing of each other, and forget everything when they are restarted. */
final class RedlockServers implements Servers {

    private static final int COUNT = 5;

    private final List<RedisProcess> all =
            Stream.generate(() -> RedisProcess.start()).limit(COUNT).toList();

    @Override
    public String uri() {
        return "redlock://"
                + String.join(",", all.stream().map(RedisProcess::address).toList());
    }

    @Override
    public List<RedisProcess> all() {
        return all;
    }

    @Override
    public List<RedisProcess> masters() {
        return all;
    }

    @Override
    public void close() {
        all.forEach(RedisProcess::close);
    }
}
