package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** As many as there are permits; some want several at once. */
final class SimulatedSemaphore implements SimulatedPrimitive {

    private final int permits;

    SimulatedSemaphore(SplittableRandom random) {
        permits = 1 + random.nextInt(4);
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
