package io.wellkeeper.benchmarks;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks: one client per process with the defaults for a single server, and one lock object per thread. */
final class RedissonLocks implements Locks {

    private final Contestant contestant;
    private final RedissonClient client;

    RedissonLocks(Contestant contestant, String uri) {
        this.contestant = contestant;
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        client = Redisson.create(config);
    }

    @Override
    public CycleLock lock(String name) {
        String key = "redisson:" + name;
        return switch (contestant) {
            case R_LOCK -> new Cycle(client.getLock(key));
            case FAIR_LOCK -> new Cycle(client.getFairLock(key));
            default -> throw new IllegalArgumentException(contestant + " is not a lock of Redisson's");
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private record Cycle(RLock lock) implements CycleLock {

        @Override
        public void acquire() {
            lock.lock();
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }
}
