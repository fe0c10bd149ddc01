package io.wellkeeper.testkit;

import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Several locks at once, named in any order, while others want only one of them. */
final class SimulatedMultiLock implements SimulatedPrimitive {

    private final SimulatedMutex mutex = new SimulatedMutex();

    @Override
    public Want choose(SplittableRandom random, List<String> names) {
        if (names.size() == 1 || random.nextInt(3) == 0) {
            return mutex.choose(random, names);
        }
        List<String> all = random.nextBoolean() ? names : List.of(names.get(1), names.get(0));
        return new Want(all, Mode.EXCLUSIVE, 1);
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        if (want.names().size() == 1) {
            return mutex.acquire(client, want, options, timeout);
        }
        DistributedMultiLock all = client.all(
                want.names().stream().map(name -> client.lock(name, options)).toList());
        return timeout.isPresent()
                ? SimulatedMutex.view(all.tryAcquireAsync(timeout.get()), handle -> handle.map(MultiHolding::new))
                : SimulatedMutex.view(all.acquireAsync(), handle -> Optional.of(new MultiHolding(handle)));
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        return mutex.tolerates(name, inside);
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return mutex.admits(name, mine, ahead);
    }

    private record MultiHolding(MultiLockHandle handle) implements Holding {
        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public long token(String name) {
            return Objects.requireNonNull(handle.fencingTokens().get(name));
        }

        @Override
        public void onLost(Runnable told) {
            handle.onLost(told);
        }

        @Override
        public void close() {
            handle.close();
        }
    }
}
