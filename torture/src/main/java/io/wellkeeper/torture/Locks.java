package io.wellkeeper.torture;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.Optional;

/** The locks of one process, as a worker uses them: Wellkeeper's, or others that are to be compared with them. */
interface Locks extends AutoCloseable {

    /**
     * Acquires permits.
     *
     * @param lock which lock
     * @param permits how many of its permits
     * @param timeout the longest time to wait; empty: for as long as it takes
     * @return empty if the time passed first
     */
    Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException;

    @Override
    void close();

    /** What was acquired. */
    interface Grant {

        /** The fencing token; {@link Section#NO_TOKEN} if it is lost already. */
        long token();

        /** Whether it is held, as this process knows. */
        boolean isHeld();

        /** Has something run when it is lost. */
        void onLost(Runnable told);

        /**
         * Gives it back.
         *
         * @return false if it turns out that it had been lost before
         */
        boolean release();
    }

    /** So long that a busy machine does not keep a process from connecting. */
    Duration STORE_TIMEOUT = Duration.ofSeconds(30);

    /** Wellkeeper's, over any store. */
    static Wellkeeper wellkeeper(String uri, String clientName, Duration sessionTimeout) {
        return new Wellkeeper(LockClient.connect(
                uri,
                ClientOptions.builder()
                        .clientName(clientName)
                        .sessionTimeout(sessionTimeout)
                        .storeTimeout(STORE_TIMEOUT)
                        .build()));
    }

    /** See {@link #wellkeeper}. */
    record Wellkeeper(LockClient client) implements Locks {

        private static final LockOptions STRICT =
                LockOptions.builder().handOvers(0).build();

        @Override
        public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
            if (lock.primitive() == Lock.Primitive.SEMAPHORE) {
                var semaphore = client.semaphore(lock.name(), lock.permits());
                return timeout.isPresent()
                        ? semaphore.tryAcquireHandle(permits, timeout.get()).map(Handle::new)
                        : Optional.of(new Handle(semaphore.acquireHandle(permits)));
            }
            DistributedLock chosen = choose(lock, permits);
            return timeout.isPresent()
                    ? chosen.tryAcquire(timeout.get()).map(Handle::new)
                    : Optional.of(new Handle(chosen.acquire()));
        }

        private DistributedLock choose(Lock lock, int permits) {
            if (lock.primitive() == Lock.Primitive.MUTEX) {
                return client.lock(lock.name(), lock.strict() ? STRICT : LockOptions.defaults());
            }
            var both = client.readWriteLock(lock.name());
            return permits == lock.permits() ? both.writeLock() : both.readLock();
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** Of one of Wellkeeper's locks. */
    record Handle(LockHandle handle) implements Grant {

        @Override
        public long token() {
            try {
                return handle.fencingToken();
            } catch (LockLostException lost) {
                return Section.NO_TOKEN;
            }
        }

        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public void onLost(Runnable told) {
            handle.onLost(told);
        }

        @Override
        public boolean release() {
            try {
                handle.close();
                return true;
            } catch (LockLostException lost) {
                return false;
            }
        }
    }
}
