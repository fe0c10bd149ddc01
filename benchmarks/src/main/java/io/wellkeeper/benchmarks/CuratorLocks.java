package io.wellkeeper.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/** Curator's locks: one framework for each process, and lock objects as the contestant says. */
final class CuratorLocks implements Locks {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);

    private final Contestant contestant;
    private final CuratorFramework framework;
    private final Map<String, CycleLock> shared = new ConcurrentHashMap<>();

    CuratorLocks(Contestant contestant, String uri) throws InterruptedException {
        this.contestant = contestant;
        String address = uri.substring(ZooKeeperServers.SCHEME.length());
        framework = CuratorFrameworkFactory.builder()
                .connectString(address)
                .sessionTimeoutMs((int) Store.ZOOKEEPER.sessionTimeout().toMillis())
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
        String path = path(name);
        return switch (contestant) {
            case MUTEX -> new Cycle(new InterProcessMutex(framework, path), Scoreboard.WHOLE);
            case SEMAPHORE_MUTEX -> new Cycle(new InterProcessSemaphoreMutex(framework, path), Scoreboard.WHOLE);
            case SHARED_MUTEX ->
                shared.computeIfAbsent(path, key -> new Cycle(new InterProcessMutex(framework, key), Scoreboard.WHOLE));
            default -> throw new IllegalArgumentException(contestant + " is not a mutex of Curator's");
        };
    }

    @Override
    public CycleLock permit(String name, int permits) {
        return new Permit(new InterProcessSemaphoreV2(framework, path(name), permits), Scoreboard.WHOLE / permits);
    }

    @Override
    public CycleLock read(String name) {
        return new Cycle(new InterProcessReadWriteLock(framework, path(name)).readLock(), 1);
    }

    @Override
    public CycleLock write(String name) {
        return new Cycle(new InterProcessReadWriteLock(framework, path(name)).writeLock(), Scoreboard.WHOLE);
    }

    @Override
    public CycleLock all(List<String> names) {
        return new All(new InterProcessMultiLock(
                framework, names.stream().map(CuratorLocks::path).toList()));
    }

    private static String path(String name) {
        return "/curator/" + name;
    }

    @Override
    public void close() {
        framework.close();
    }

    private record Cycle(InterProcessLock lock, int share) implements CycleLock {

        @Override
        public void acquire() throws Exception {
            lock.acquire();
        }

        @Override
        public void release() throws Exception {
            lock.release();
        }
    }

    private static final class Permit implements CycleLock {

        private final InterProcessSemaphoreV2 semaphore;
        private final int share;
        private @Nullable Lease held;

        Permit(InterProcessSemaphoreV2 semaphore, int share) {
            this.semaphore = semaphore;
            this.share = share;
        }

        @Override
        public void acquire() throws Exception {
            held = semaphore.acquire();
        }

        @Override
        public void release() {
            semaphore.returnLease(Objects.requireNonNull(held));
        }

        @Override
        public int share() {
            return share;
        }
    }

    private record All(InterProcessMultiLock lock) implements CycleLock {

        @Override
        public void acquire() throws Exception {
            lock.acquire();
            if (!lock.isAcquiredInThisProcess()) {
                throw new LockBrokenException("not all members of the multi-lock are held");
            }
        }

        @Override
        public void release() throws Exception {
            lock.release();
        }
    }
}
