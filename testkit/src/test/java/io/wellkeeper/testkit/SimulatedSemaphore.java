package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** As many as there are permits; some want several at once. */
final class SimulatedSemaphore implements SimulatedPrimitive {

    private final int permits;

    SimulatedSemaphore(SplittableRandom random) {
        permits = 1 + random.nextInt(6);
    }

    @Override
    public Want choose(SplittableRandom random, List<String> names) {
        String name = names.get(random.nextInt(names.size()));
        return new Want(List.of(name), Mode.EXCLUSIVE, 1 + random.nextInt(permits));
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        DistributedSemaphore semaphore = client.semaphore(want.names().get(0), permits, options);
        return timeout.isPresent()
                ? SimulatedMutex.view(
                        semaphore.tryAcquireHandleAsync(want.permits(), timeout.get()),
                        handle -> handle.map(SimulatedMutex.HandleHolding::new))
                : SimulatedMutex.view(
                        semaphore.acquireHandleAsync(want.permits()),
                        handle -> Optional.of(new SimulatedMutex.HandleHolding(handle)));
    }

    @Override
    public boolean isHandedOver() {
        return false;
    }

    @Override
    public boolean hasThreads() {
        return true;
    }

    @Override
    public Optional<Holding> acquireByThread(LockClient client, Want want, LockOptions options, Duration timeout) {
        DistributedSemaphore semaphore = client.semaphore(want.names().get(0), permits, options);
        try {
            boolean held = semaphore.tryAcquire(want.permits(), timeout.toNanos(), TimeUnit.NANOSECONDS);
            return held ? Optional.of(new Pooled(semaphore, want.permits())) : Optional.empty();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Some of what a thread has is given back, one permit after the other. */
    @Override
    public Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        if (!(holding instanceof Pooled some) || some.left < 2) {
            return Optional.empty();
        }
        int kept = 1 + random.nextInt(some.left - 1);
        while (some.left > kept) {
            some.giveBack(1);
        }
        return Optional.of(Change.to(
                "release some",
                new Want(want.names(), want.mode(), kept),
                CompletableFuture.completedFuture(Optional.of(some))));
    }

    /** Permits without a handle: some of those that the threads of the client have, be it of this acquisition or another. */
    private static final class Pooled implements Holding {

        private final DistributedSemaphore semaphore;
        private int left;

        Pooled(DistributedSemaphore semaphore, int permits) {
            this.semaphore = semaphore;
            this.left = permits;
        }

        void giveBack(int permits) {
            left -= permits;
            try {
                semaphore.release(permits);
            } catch (LockLostException known) {
                // the rest has been given back
            }
        }

        @Override
        public boolean isKnown() {
            return false;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public long token(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onLost(Runnable told) {
            // nobody is told which permits are lost
        }

        @Override
        public void close() {
            if (left > 0) {
                giveBack(left);
            }
        }
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        return inside.stream().mapToInt(Want::permits).sum() <= permits;
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return ahead.stream().mapToInt(Ticket::permits).sum() + mine.permits() <= permits;
    }

    /** Those who are in at once may hear of it in any order. */
    @Override
    public boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return token > lastWhenAsked;
    }
}
