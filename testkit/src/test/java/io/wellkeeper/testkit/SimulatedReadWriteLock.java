package io.wellkeeper.testkit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A read-write lock: any number of readers, or one writer, or one holder of the mutex of the same name. */
final class SimulatedReadWriteLock implements SimulatedPrimitive {

    private static final int MOST_BESIDE = 200;
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
    public boolean hasThreads() {
        return true;
    }

    @Override
    public Optional<Holding> acquireByThread(LockClient client, Want want, LockOptions options, Duration timeout) {
        DistributedLock lock =
                client.readWriteLock(want.names().get(0), options).writeLock();
        if (want.mode() != Mode.WRITE || lock.isHeldByCurrentThread()) {
            return Optional.empty();
        }
        try {
            boolean held = lock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return held ? Optional.of(new ThreadHolding(lock)) : Optional.empty();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        } catch (LockLostException notYetUnlocked) {
            return Optional.empty();
        }
    }

    @Override
    public List<Long> acquireBeside(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        List<Long> tokens = new ArrayList<>();
        if (holding instanceof ThreadHolding) {
            DistributedLock read =
                    client.readWriteLock(want.names().get(0), options).readLock();
            try {
                for (int i = random.nextInt(MOST_BESIDE); i >= 0; i--) {
                    read.lock();
                    tokens.add(read.fencingToken());
                    if (read.tryLock()) {
                        read.unlock();
                    }
                    read.unlock();
                }
            } catch (LockLostException lost) {
                unlockLost(read);
            }
        }
        return tokens;
    }

    private static void unlockLost(DistributedLock lost) {
        try {
            lost.unlock();
        } catch (IllegalMonitorStateException known) { // perhaps it was unlocked already
            return;
        }
        throw new AssertionError(lost + " was lost, and then unlocked");
    }

    /** What the thread holds. */
    private record ThreadHolding(DistributedLock lock) implements Holding {
        @Override
        public boolean isHeld() {
            return lock.isHeldByCurrentThread();
        }

        @Override
        public boolean isOfThread() {
            return true;
        }

        @Override
        public long token(String name) {
            return lock.fencingToken();
        }

        @Override
        public void onLost(Runnable told) {
            try {
                lock.onLost(told);
            } catch (LockLostException known) {
                told.run();
            }
        }

        @Override
        public void close() {
            lock.unlock();
        }
    }

    @Override
    public Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        if (holding instanceof ThreadHolding) {
            return Optional.empty();
        }
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

    /** Readers with the same ticket share its token. It may be the token of a writer that has become a reader. */
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
