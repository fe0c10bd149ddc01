package io.wellkeeper.testkit;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A lock with a condition: one holder at a time, who may wait for a signal, or signal others. */
final class SimulatedCondition implements SimulatedPrimitive {

    private static final String CONDITION = "ready";

    private final SimulatedMutex mutex = new SimulatedMutex();
    private boolean handedOver; // whether clients may use one ticket for several grants

    @Override
    public Want choose(SplittableRandom random, List<String> names) {
        return mutex.choose(random, names);
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        handedOver = options.handOvers() > 0 || options.retain();
        return mutex.acquire(client, want, options, timeout);
    }

    @Override
    public Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        LockHandle handle = ((SimulatedMutex.HandleHolding) holding).handle();
        DistributedCondition condition =
                client.lock(want.names().get(0), options).newCondition(CONDITION);
        return Optional.of(
                switch (random.nextInt(8)) {
                    case 0 -> Change.keeps("signal all", condition.signalAllAsync(handle));
                    case 1, 2 -> Change.keeps("signal", condition.signalAsync(handle));
                    case 3, 4 -> waits(want, handle, condition.awaitAsync(handle, timeout(random)));
                    default -> waits(want, handle, condition.awaitAsync(handle));
                });
    }

    /** Zero, or shorter than a message travels, or long enough for a signal to come. */
    private static Duration timeout(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ZERO;
            case 1, 2 -> Duration.ofNanos(random.nextInt(8_000_000));
            default -> Duration.ofMillis(random.nextInt(1000));
        };
    }

    private static Change waits(Want want, LockHandle handle, CompletableFuture<LockHandle> waiting) {
        CompletableFuture<Optional<Holding>> answer =
                SimulatedMutex.view(waiting, again -> Optional.of(new SimulatedMutex.HandleHolding(again)));
        answer.whenComplete((again, failure) -> {
            if ((failure != null || again.isEmpty()) && handle.isHeld()) {
                handle.close();
            }
        });
        return Change.to("await", want, answer);
    }

    /** Signals all who still wait, so that they do not wait for ever. */
    @Override
    public void comfort(LockClient client, List<String> names, LockOptions options) {
        for (String name : names) {
            DistributedLock lock = client.lock(name, options);
            lock.acquireAsync()
                    .thenAccept(handle -> lock.newCondition(CONDITION)
                            .signalAllAsync(handle)
                            .whenComplete((told, failure) -> handle.close()));
        }
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        return mutex.tolerates(name, inside);
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return mutex.admits(name, mine, ahead);
    }

    /** After a wait, however short, the lock is held by another grant, because the waiter has given it up. */
    @Override
    public boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return handedOver ? token > last : token >> 6 > last >> 6;
    }
}
