package io.wellkeeper.benchmarks;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Our locks. */
final class WellkeeperLocks implements Locks {

    private final LockClient client;

    WellkeeperLocks(Store store, Contestant contestant, String uri) {
        client = LockClient.connect(uri, options(store, contestant));
    }

    static ClientOptions options(Store store, Contestant contestant) {
        return ClientOptions.builder()
                .sessionTimeout(store.sessionTimeout())
                .lockDefaults(contestant.options())
                .build();
    }

    @Override
    public CycleLock lock(String name) {
        return new Cycle(client.lock(name), Scoreboard.WHOLE);
    }

    @Override
    public CycleLock permit(String name, int permits) {
        return new Permit(client.semaphore(name, permits), Scoreboard.WHOLE / permits);
    }

    @Override
    public CycleLock read(String name) {
        return new Cycle(client.readWriteLock(name).readLock(), 1);
    }

    @Override
    public CycleLock write(String name) {
        return new Cycle(client.readWriteLock(name).writeLock(), Scoreboard.WHOLE);
    }

    @Override
    public CycleLock all(List<String> names) {
        return new All(client.all(names.toArray(String[]::new)));
    }

    @Override
    public void close() {
        client.close();
    }

    /** A cycle with a lock. */
    record Cycle(DistributedLock lock, int share) implements CycleLock {

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

    private static final class Permit implements CycleLock {

        private final DistributedSemaphore semaphore;
        private final int share;
        private @Nullable LockHandle held;

        Permit(DistributedSemaphore semaphore, int share) {
            this.semaphore = semaphore;
            this.share = share;
        }

        @Override
        public void acquire() throws InterruptedException {
            held = semaphore.acquire();
        }

        @Override
        public void release() {
            Objects.requireNonNull(held).close();
        }

        @Override
        public long token() {
            return Objects.requireNonNull(held).fencingToken();
        }

        @Override
        public int share() {
            return share;
        }
    }

    private record All(DistributedMultiLock lock) implements CycleLock {

        @Override
        public void acquire() {
            lock.lock();
            lock.checkHeld();
        }

        @Override
        public void release() {
            lock.unlock();
        }

        /** A number that grows if the tokens of all members grow. */
        @Override
        public long token() {
            return Collections.min(lock.fencingTokens().values());
        }
    }
}
