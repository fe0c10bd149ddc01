package io.wellkeeper.torture;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's {@link InterProcessMutex}. */
final class CuratorPeer implements Locks {

    private final CuratorFramework framework;
    private final boolean checks;

    /**
     * @param checks whether the user asks {@link InterProcessMutex#isAcquiredInThisProcess} before each use
     */
    CuratorPeer(String uri, Duration sessionTimeout, boolean checks) {
        this.checks = checks;
        framework = CuratorFrameworkFactory.builder()
                .connectString(uri.substring("zookeeper://".length()))
                .sessionTimeoutMs((int) sessionTimeout.toMillis())
                .connectionTimeoutMs((int) Locks.STORE_TIMEOUT.toMillis())
                .retryPolicy(new ExponentialBackoffRetry(1_000, 3))
                .ensembleTracker(false)
                .build();
        framework.start();
    }

    @Override
    public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
        InterProcessMutex mutex = new InterProcessMutex(framework, "/" + lock.name());
        try {
            if (timeout.isEmpty()) {
                mutex.acquire();
            } else if (!mutex.acquire(timeout.get().toNanos(), TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception failed) {
            throw new LockStoreException("Curator cannot lock " + lock.name(), failed);
        }
        return Optional.of(
                new PeerGrant(Peer.timeOfTheGrant(), () -> !checks || mutex.isAcquiredInThisProcess(), () -> {
                    mutex.release();
                    return true;
                }));
    }

    @Override
    public void close() {
        framework.close();
    }
}
