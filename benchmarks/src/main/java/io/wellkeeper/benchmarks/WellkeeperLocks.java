package io.wellkeeper.benchmarks;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;

/** Our locks. */
final class WellkeeperLocks implements Locks {

    private final LockClient client;

    WellkeeperLocks(Contestant contestant, String address) {
        client = LockClient.connect(
                "zookeeper://" + address,
                ClientOptions.builder()
                        .sessionTimeout(Servers.SESSION_TIMEOUT)
                        .lockDefaults(contestant.options())
                        .build());
    }

    @Override
    public CycleLock lock(String name) {
        return new Cycle(client.lock(name));
    }

    @Override
    public void close() {
        client.close();
    }

    private record Cycle(DistributedLock lock) implements CycleLock {

        @Override
        public void acquire() {
            lock.lock();
        }

        @Override
        public void release() {
            lock.unlock();
        }

        @Override
        public long token() {
            return lock.fencingToken();
        }
    }
}
