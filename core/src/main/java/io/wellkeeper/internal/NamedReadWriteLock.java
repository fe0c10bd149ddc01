package io.wellkeeper.internal;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;

/** Two sides of one {@link Gate}. */
final class NamedReadWriteLock implements DistributedReadWriteLock {

    private final NamedLock read;
    private final NamedLock write;
    private final AbstractClient client;

    NamedReadWriteLock(String name, LockOptions options, AbstractClient client) {
        this.read = new NamedLock(name, Side.READ, options, client);
        this.write = new NamedLock(name, Side.WRITE, options, client);
        this.client = client;
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
    public LockHandle downgrade(LockHandle handle) {
        return read.door().exchange(handle);
    }

    @Override
    public String toString() {
        return client.describe(
                DistributedReadWriteLock.class,
                name(),
                "read lock " + read.standing(),
                "write lock " + write.standing());
    }
}
