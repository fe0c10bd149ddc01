package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever closes a client waits for what another thread is just giving back, or just getting: nobody else would end it. */
class ClosingLeasesTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final InMemoryServer server = new InMemoryServer();
    private final HeldUp time = new HeldUp();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final LeaseClient client = LeaseClient.over(
            new ForwardingLeaseStore(new InMemoryLeaseStore(server)) {
                @Override
                public CompletionStage<Boolean> release(Lease lease) {
                    done.add("released");
                    return super.release(lease);
                }
            },
            ClientOptions.builder().time(time).closeTimeout(Await.patience()).build());

    @AfterEach
    void close() {
        time.goOn.complete(null);
        client.close();
        time.alarms.shutdownNow();
        server.close();
    }

    @Test
    void close_whileAThreadReleases_waitsForIt() throws Exception {
        try (Actor actor = new Actor()) {
            LeaseHandle handle = client.acquireLease("a", LONG);
            time.atEndOfAlarm = true;
            Future<?> released = actor.begin(handle::close);

            closeWhileItIsHeldUp();

            Await.result(released);
        }
    }

    @Test
    void close_whileAThreadGetsALease_waitsForItsReturn() throws Exception {
        time.atBeginOfAlarm = true;
        Executor another = task -> new Thread(task).start(); // an answer that is there at once holds up whoever asked
        CompletableFuture<LeaseHandle> acquired = CompletableFuture.supplyAsync(
                        () -> client.acquireLeaseAsync("a", LONG), another)
                .thenCompose(Function.identity());

        closeWhileItIsHeldUp();

        assertThat(acquired)
                .failsWithin(Await.patience())
                .withThrowableThat()
                .withCauseInstanceOf(LockClientClosedException.class);
    }

    private void closeWhileItIsHeldUp() throws Exception {
        Await.get(time.heldUp);
        try (Actor closer = new Actor()) {
            Thread thread = closer.call(Thread::currentThread);
            Future<?> closed = closer.begin(() -> {
                client.close();
                done.add("closed");
            });
            Await.until(
                    "it waits, or is over",
                    () -> thread.getState() == Thread.State.TIMED_WAITING || done.contains("closed"));

            time.goOn.complete(null);

            Await.result(closed);
        }
        assertThat(done).containsExactly("released", "closed");
    }

    /** Holds up the thread that sets an alarm, or takes it back. */
    private static final class HeldUp implements Time {

        private final ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1);
        private final CompletableFuture<Void> heldUp = new CompletableFuture<>();
        private final CompletableFuture<Void> goOn = new CompletableFuture<>();
        private volatile boolean atBeginOfAlarm;
        private volatile boolean atEndOfAlarm;

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            boolean ofTheLease = delay.compareTo(LONG.dividedBy(2)) > 0;
            if (ofTheLease && atBeginOfAlarm) {
                holdUp();
            }
            Future<?> alarm = alarms.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> {
                if (ofTheLease && atEndOfAlarm) {
                    holdUp();
                }
                alarm.cancel(false);
            };
        }

        private void holdUp() {
            heldUp.complete(null);
            goOn.join();
        }
    }
}
