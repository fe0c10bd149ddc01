package io.wellkeeper.internal;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Three sides of one {@link Gate}. */
final class NamedReadWriteLock implements DistributedReadWriteLock {

    private final NamedLock read;
    private final NamedLock upgradeable;
    private final NamedLock write;

    NamedReadWriteLock(String name, LockOptions options, AbstractClient client) {
        this.read = new NamedLock(name, Side.READ, options, client);
        this.upgradeable = new NamedLock(name, Side.UPGRADEABLE, options, client);
        this.write = new NamedLock(name, Side.WRITE, options, client);
    }

    @Override
    public String name() {
        return read.name();
    }

    @Override
    public DistributedLock readLock() {
        return read;
    }

    @Override
    public DistributedLock writeLock() {
        return write;
    }

    @Override
    public DistributedLock upgradeableReadLock() {
        return upgradeable;
    }

    @Override
    public LockHandle downgrade(LockHandle handle) {
        return read.door().exchange(handle);
    }

    @Override
    public LockHandle upgrade(LockHandle handle) throws InterruptedException {
        return write.door().upgrade(handle).acquire();
    }

    @Override
    public Optional<LockHandle> tryUpgrade(LockHandle handle, Duration timeout) throws InterruptedException {
        return write.door().upgrade(handle).tryAcquire(timeout);
    }

    @Override
    public CompletableFuture<LockHandle> upgradeAsync(LockHandle handle) {
        return write.door().upgrade(handle).acquireAsync();
    }

    @Override
    public CompletableFuture<Optional<LockHandle>> tryUpgradeAsync(LockHandle handle, Duration timeout) {
        return write.door().upgrade(handle).tryAcquireAsync(timeout);
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + name() + "]";
    }
}
