package io.wellkeeper.torture;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/** Redisson's {@link RLock} and {@link RFencedLock}, on one server. */
final class RedissonPeer implements Locks {

    private final RedissonClient client;
    private final boolean fenced;
    private final boolean checks;

    /**
     * @param fenced whether the lock is an {@link RFencedLock}
     * @param checks whether the user asks {@link RLock#isHeldByCurrentThread} before each use
     */
    RedissonPeer(String uri, Duration sessionTimeout, boolean fenced, boolean checks) {
        this.fenced = fenced;
        this.checks = checks;
        Config config = new Config().setLockWatchdogTimeout(sessionTimeout.toMillis());
        config.useSingleServer().setAddress(uri.replaceFirst("\\?.*", ""));
        client = Redisson.create(config);
    }

    @Override
    public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
        RLock mutex = fenced ? client.getFencedLock(lock.name()) : client.getLock(lock.name());
        try {
            OptionalLong token = mutex instanceof RFencedLock known ? acquire(known, timeout) : acquire(mutex, timeout);
            return token.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new PeerGrant(token.getAsLong(), () -> !checks || mutex.isHeldByCurrentThread(), () -> {
                                mutex.unlock();
                                return true;
                            }));
        } catch (RedisException failed) {
            throw new LockStoreException("Redisson cannot lock " + lock.name(), failed);
        }
    }

    private static OptionalLong acquire(RFencedLock mutex, Optional<Duration> timeout) {
        @Nullable
        Long token = timeout.isEmpty()
                ? mutex.lockAndGetToken()
                : mutex.tryLockAndGetToken(timeout.get().toNanos(), TimeUnit.NANOSECONDS);
        return token == null ? OptionalLong.empty() : OptionalLong.of(token);
    }

    private static OptionalLong acquire(RLock mutex, Optional<Duration> timeout) throws InterruptedException {
        if (timeout.isEmpty()) {
            mutex.lockInterruptibly();
        } else if (!mutex.tryLock(timeout.get().toNanos(), TimeUnit.NANOSECONDS)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Peer.timeOfTheGrant());
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
