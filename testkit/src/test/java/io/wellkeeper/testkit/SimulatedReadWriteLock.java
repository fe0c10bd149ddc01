package io.wellkeeper.testkit;

import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Any number of readers, or one writer, or one that holds the lock of the same name. */
final class SimulatedReadWriteLock implements SimulatedPrimitive {

    private static final List<Mode> MODES =
            List.of(Mode.SHARED, Mode.SHARED, Mode.SHARED, Mode.WRITE, Mode.WRITE, Mode.EXCLUSIVE);

    @Override
    public Want choose(SplittableRandom random, List<String> names) {
        String name = names.get(random.nextInt(names.size()));
        return new Want(List.of(name), MODES.get(random.nextInt(MODES.size())), 1);
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        String name = want.names().get(0);
        DistributedReadWriteLock lock = client.readWriteLock(name, options);
        return SimulatedMutex.acquire(
                switch (want.mode()) {
                    case SHARED -> lock.readLock();
                    case WRITE -> lock.writeLock();
                    default -> client.lock(name, options);
                },
                timeout);
    }

    @Override
    public Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        LockHandle handle = ((SimulatedMutex.HandleHolding) holding).handle();
        DistributedReadWriteLock lock = client.readWriteLock(want.names().get(0), options);
        if (want.mode() != Mode.WRITE) {
            return Optional.empty();
        }
        Holding reading = new SimulatedMutex.HandleHolding(lock.downgrade(handle));
        return Optional.of(Change.to(
                "downgrade",
                new Want(want.names(), Mode.SHARED, 1),
                CompletableFuture.completedFuture(Optional.of(reading))));
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        long writers = inside.stream().filter(SimulatedReadWriteLock::writes).count();
        return writers == 0 || inside.size() == 1;
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return mine.mode() == Mode.SHARED
                ? ahead.stream().allMatch(other -> other.mode() == Mode.SHARED)
                : ahead.isEmpty();
    }

    @Override
    public boolean mustBeIn(String name, Ticket mine, List<Ticket> ahead) {
        return admits(name, mine, ahead);
    }

    /** Readers of one ticket share a token, which may be that of the writer who has become one of them. */
    @Override
    public boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return writes(want) ? token > last : token >= last;
    }

    @Override
    public boolean isTokenRemembered(Want want) {
        return writes(want);
    }

    private static boolean writes(Want want) {
        return want.mode() == Mode.WRITE || want.mode() == Mode.EXCLUSIVE;
    }
}
