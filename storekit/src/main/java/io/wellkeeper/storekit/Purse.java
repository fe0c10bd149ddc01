package io.wellkeeper.storekit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockLostException;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A semaphore, and the acquisitions of one client, by any thread, that are not given back yet; oldest first. */
final class Purse implements DistributedSemaphore {

    private final DistributedSemaphore semaphore;
    private final Taken taken;

    /** The acquisitions that one client has not given back yet. */
    static final class Taken {

        private final Deque<Acquisition> acquisitions = new ArrayDeque<>(); // guarded by itself

        private static final class Acquisition {

            private final Permits permits;
            private int left;

            Acquisition(Permits permits) {
                this.permits = permits;
                this.left = permits.count();
            }
        }

        private record Share(Permits of, int permits) {}

        private void add(Permits permits) {
            synchronized (acquisitions) {
                acquisitions.add(new Acquisition(permits));
            }
        }

        private List<Share> takeOut(int permits) {
            List<Share> shares = new ArrayList<>();
            synchronized (acquisitions) {
                if (acquisitions.stream().mapToLong(one -> one.left).sum() < permits) {
                    throw new IllegalMonitorStateException("not so many have been taken");
                }
                for (int missing = permits; missing > 0; ) {
                    Acquisition oldest = acquisitions.element();
                    int some = Math.min(missing, oldest.left);
                    shares.add(new Share(oldest.permits, some));
                    missing -= some;
                    oldest.left -= some;
                    if (oldest.left == 0) {
                        acquisitions.remove();
                    }
                }
            }
            return shares;
        }
    }

    Purse(DistributedSemaphore semaphore, Taken taken) {
        this.semaphore = semaphore;
        this.taken = taken;
    }

    void take() throws InterruptedException {
        take(1);
    }

    void take(int permits) throws InterruptedException {
        taken.add(semaphore.acquire(permits));
    }

    boolean tryTake() {
        return tryTake(1);
    }

    boolean tryTake(int permits) {
        return keep(semaphore.tryAcquire(permits));
    }

    boolean tryTake(long time, TimeUnit unit) throws InterruptedException {
        return tryTake(1, time, unit);
    }

    boolean tryTake(int permits, long time, TimeUnit unit) throws InterruptedException {
        return keep(semaphore.tryAcquire(permits, Duration.ofNanos(unit.toNanos(time))));
    }

    /** Takes all available permits, and returns their number. */
    int takeAll() {
        Optional<Permits> drained = semaphore.drainPermits();
        int permits = drained.map(Permits::count).orElse(0);
        keep(drained);
        return permits;
    }

    private boolean keep(Optional<Permits> acquired) {
        acquired.ifPresent(taken::add);
        return acquired.isPresent();
    }

    void give() {
        give(1);
    }

    /** Gives so many permits back. If some are lost, the others are given back all the same. */
    void give(int permits) {
        LockLostException loss = null;
        for (Taken.Share share : taken.takeOut(permits)) {
            try {
                share.of.release(share.permits);
            } catch (LockLostException lost) {
                loss = lost;
            }
        }
        if (loss != null) {
            throw loss;
        }
    }

    @Override
    public String name() {
        return semaphore.name();
    }

    @Override
    public Permits acquire(int permits) throws InterruptedException {
        return semaphore.acquire(permits);
    }

    @Override
    public Optional<Permits> tryAcquire(int permits) {
        return semaphore.tryAcquire(permits);
    }

    @Override
    public Optional<Permits> tryAcquire(int permits, Duration timeout) throws InterruptedException {
        return semaphore.tryAcquire(permits, timeout);
    }

    @Override
    public CompletableFuture<Permits> acquireAsync(int permits) {
        return semaphore.acquireAsync(permits);
    }

    @Override
    public CompletableFuture<Optional<Permits>> tryAcquireAsync(int permits, Duration timeout) {
        return semaphore.tryAcquireAsync(permits, timeout);
    }

    @Override
    public Optional<Permits> drainPermits() {
        return semaphore.drainPermits();
    }

    @Override
    public int availablePermits() {
        return semaphore.availablePermits();
    }

    @Override
    public int permits() {
        return semaphore.permits();
    }

    @Override
    public void resize(int permits) {
        semaphore.resize(permits);
    }
}
