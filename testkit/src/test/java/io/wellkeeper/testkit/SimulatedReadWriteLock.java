package io.wellkeeper.testkit;

import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Any number of readers and one upgradeable read, or one writer, or one that holds the lock of the same name. */
final class SimulatedReadWriteLock implements SimulatedPrimitive {

    private static final List<Mode> MODES =
            List.of(Mode.SHARED, Mode.SHARED, Mode.SHARED, Mode.WRITE, Mode.WRITE, Mode.UPGRADEABLE, Mode.EXCLUSIVE);

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
                    case UPGRADEABLE -> lock.upgradeableReadLock();
                    case WRITE -> lock.writeLock();
                    default -> client.lock(name, options);
                },
                timeout);
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        long writers = inside.stream().filter(SimulatedReadWriteLock::writes).count();
        long upgradeable =
                inside.stream().filter(want -> want.mode() == Mode.UPGRADEABLE).count();
        return upgradeable <= 1 && (writers == 0 || inside.size() == 1);
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return switch (mine.mode()) {
            case SHARED -> ahead.stream().allMatch(other -> other.mode().toleratesReaders());
            case UPGRADEABLE -> ahead.stream().allMatch(other -> other.mode() == Mode.SHARED);
            default -> ahead.isEmpty();
        };
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
