package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisProcess;
import java.util.List;

/** One server, which keeps its data when it is restarted. */
final class SingleServer implements Servers {

    private final RedisProcess server = RedisProcess.start(Servers.KEEPING_DATA);

    @Override
    public String uri() {
        return "redis://" + server.address();
    }

    @Override
    public List<RedisProcess> all() {
        return List.of(server);
    }

    @Override
    public List<RedisProcess> masters() {
        return List.of(server);
    }

    @Override
    public void close() {
        server.close();
    }
}
