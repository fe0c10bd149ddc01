package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A semaphore: holders have as many permits as there are, at most; some want several at once. */
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

    /** Takes only those of the options that apply to permits. */
    private DistributedSemaphore semaphore(LockClient client, Want want, LockOptions options) {
        LockOptions own =
                LockOptions.builder().awaitRelease(options.awaitRelease()).build();
        return client.semaphore(want.names().get(0), permits, own);
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        DistributedSemaphore semaphore = semaphore(client, want, options);
        return timeout.isPresent()
                ? SimulatedMutex.view(
                        semaphore.tryAcquireAsync(want.permits(), timeout.get()),
                        handle -> handle.map(SimulatedMutex.HandleHolding::new))
                : SimulatedMutex.view(
                        semaphore.acquireAsync(want.permits()),
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
        DistributedSemaphore semaphore = semaphore(client, want, options);
        try {
            return semaphore.tryAcquire(want.permits(), timeout).map(SimulatedMutex.HandleHolding::new);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public boolean changesInPlace() {
        return true;
    }

    /** Gives some of the permits back, one after the other. */
    @Override
    public Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        Permits held = (Permits) ((SimulatedMutex.HandleHolding) holding).handle();
        int kept;
        try {
            int some = held.count();
            if (some < 2) {
                return Optional.empty();
            }
            kept = 1 + random.nextInt(some - 1);
            for (int i = some; i > kept; i--) {
                held.release(1);
            }
        } catch (LockLostException known) {
            return Optional.empty();
        }
        return Optional.of(Change.to(
                "release some",
                new Want(want.names(), want.mode(), kept),
                CompletableFuture.completedFuture(Optional.of(holding))));
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        return inside.stream().mapToInt(Want::permits).sum() <= permits;
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return ahead.stream().mapToInt(Ticket::permits).sum() + mine.permits() <= permits;
    }

    /** Holders at the same time may learn of their grants in any order. */
    @Override
    public boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return token > lastWhenAsked;
    }
}
