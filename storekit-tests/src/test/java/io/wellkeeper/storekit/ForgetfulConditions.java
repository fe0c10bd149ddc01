package io.wellkeeper.storekit;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.Date;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Conditions in this JVM: a signal is taken off the queue with its waiter, whatever becomes of that one afterwards. */
final class ForgetfulConditions {

    private final Map<String, Queue<Semaphore>> waiters = new ConcurrentHashMap<>();

    /** The one condition of this lock. */
    DistributedCondition of(DistributedLock lock) {
        Queue<Semaphore> queue = waiters.computeIfAbsent(lock.name(), name -> new ConcurrentLinkedQueue<>());
        return new Forgetful(lock, queue);
    }

    private record Forgetful(DistributedLock lock, Queue<Semaphore> waiters) implements DistributedCondition {

        @Override
        public void await() throws InterruptedException {
            await(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            Semaphore signal = new Semaphore(0);
            waiters.add(signal);
            lock.unlock();
            boolean signalled = false;
            try {
                signalled = signal.tryAcquire(time, unit);
                return signalled;
            } finally {
                waiters.remove(signal);
                lock.lock();
                if (signalled && Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        @Override
        public void awaitUninterruptibly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long awaitNanos(long nanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<LockHandle> awaitAsync(LockHandle held) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<LockHandle> awaitAsync(LockHandle held, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> signalAsync(LockHandle held) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> signalAllAsync(LockHandle held) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void signal() {
            Semaphore first = waiters.poll();
            if (first != null) {
                first.release();
            }
        }

        @Override
        public void signalAll() {
            while (!waiters.isEmpty()) {
                signal();
            }
        }
    }
}
