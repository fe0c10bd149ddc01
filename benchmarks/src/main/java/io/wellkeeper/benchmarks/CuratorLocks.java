package io.wellkeeper.benchmarks;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's locks: one framework per process, and lock objects as the contestant says. */
final class CuratorLocks implements Locks {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);

    private final Contestant contestant;
    private final CuratorFramework framework;
    private final Map<String, CycleLock> shared = new ConcurrentHashMap<>();

    CuratorLocks(Contestant contestant, String address) throws InterruptedException {
        this.contestant = contestant;
        framework = CuratorFrameworkFactory.builder()
                .connectString(address)
                .sessionTimeoutMs((int) Servers.SESSION_TIMEOUT.toMillis())
                .connectionTimeoutMs((int) CONNECT_TIMEOUT.toMillis())
                .retryPolicy(new ExponentialBackoffRetry(1_000, 3))
                .ensembleTracker(false)
                .build();
        framework.start();
        if (!framework.blockUntilConnected((int) CONNECT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            framework.close();
            throw new IllegalStateException("Curator cannot connect to " + address);
        }
    }

    @Override
    public CycleLock lock(String name) {
        String path = "/curator/" + name;
        return switch (contestant) {
            case MUTEX -> new Cycle(new InterProcessMutex(framework, path));
            case SEMAPHORE_MUTEX -> new Cycle(new InterProcessSemaphoreMutex(framework, path));
            case SHARED_MUTEX -> shared.computeIfAbsent(path, key -> new Cycle(new InterProcessMutex(framework, key)));
            default -> throw new IllegalArgumentException(contestant + " is not Curator's");
        };
    }

    @Override
    public void close() {
        framework.close();
    }

    private record Cycle(InterProcessLock lock) implements CycleLock {

        @Override
        public void acquire() throws Exception {
            lock.acquire();
        }

        @Override
        public void release() throws Exception {
            lock.release();
        }

        @Override
        public long token() {
            return 0;
        }
    }
}
