package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: handles that are downgraded and upgraded. */
public abstract class ReadWriteHandleContract extends ReadWriteKit {

    private static final Duration LONG = Duration.ofMinutes(5);

    /** For the store's own test to call. */
    protected ReadWriteHandleContract() {}

    @Test
    void downgrade_writer_letsReadersInAndNoWriter() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle writing = write(a).acquire();
        Visitor writer = queueUp(b, write(b));
        long written = writing.fencingToken();

        LockHandle reading = views(a).downgrade(writing);

        assertThat(writing.isHeld()).isFalse();
        writing.close();
        assertThat(reading.fencingToken()).isGreaterThanOrEqualTo(written);
        assertThat(writer.in()).isNotDone();
        reading.close();
        writer.visit();
        assertComesFree(name);
    }

    @Test
    void downgrade_writer_waitingReadersComeIn() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle writing = write(a).acquire();
        CompletableFuture<LockHandle> waiting = read(b).acquireAsync();
        CompletableFuture<LockHandle> local = read(a).acquireAsync();

        LockHandle reading = views(a).downgrade(writing);

        Await.get(waiting).close();
        Await.get(local).close();
        reading.checkHeld();
        reading.close();
        assertComesFree(name);
    }

    @Test
    void downgrade_upgradeable_letsTheNextOneIn() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        Visitor next = queueUp(b, upgradeable(b));

        LockHandle reading = views(a).downgrade(held);

        next.visit();
        reading.checkHeld();
        reading.close();
        assertComesFree(name);
    }

    @Test
    void upgrade_readersInside_waitsForThem() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        long token = held.fencingToken();
        LockHandle reader = read(b).acquire();

        CompletableFuture<LockHandle> upgrading = views(a).upgradeAsync(held);
        assertThat(views(a).tryUpgradeAsync(held, Duration.ZERO))
                .succeedsWithin(Await.patience())
                .isEqualTo(Optional.empty());
        assertThat(upgrading).isNotDone();
        reader.close();

        LockHandle writing = Await.get(upgrading);
        assertThat(writing.fencingToken()).isGreaterThan(token);
        assertThat(read(b).tryAcquire()).isEmpty();
        writing.close();
        held.checkHeld();
        read(b).acquire().close();
        held.close();
        assertComesFree(name);
    }

    @Test
    void upgrade_thenDowngrade_goesOnReading() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        LockHandle writing = views(a).upgrade(held);

        for (LockHandle either : List.of(held, writing)) {
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> views(a).downgrade(either));
        }
        held.close();
        assertThat(read(b).tryAcquire()).isEmpty();
        LockHandle reading = views(a).downgrade(writing);

        read(b).acquire().close();
        reading.checkHeld();
        Visitor writer = queueUp(b, write(b));
        reading.close();
        writer.visit();
        assertComesFree(name);
    }

    @Test
    void tryUpgrade_timePasses_isRefusedAndKeepsReading() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        LockHandle reader = read(b).acquire();

        assertThat(views(a).tryUpgrade(held, Duration.ofMillis(50))).isEmpty();
        assertThat(views(a).tryUpgrade(held, Duration.ZERO)).isEmpty();

        held.checkHeld();
        reader.close();
        LockHandle writing = views(a).tryUpgrade(held, LONG).orElseThrow();
        writing.close();
        held.close();
        assertComesFree(name);
    }

    @Test
    void upgradeAsync_cancelled_keepsReading() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        LockHandle reader = read(b).acquire();
        CompletableFuture<LockHandle> upgrading = views(a).upgradeAsync(held);

        upgrading.cancel(false);

        held.checkHeld();
        read(b).acquire().close();
        reader.close();
        held.close();
        assertComesFree(name);
    }

    @Test
    void upgradeAsync_handleIsClosedMeanwhile_fails() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = upgradeable(a).acquire();
        LockHandle reader = read(b).acquire();
        CompletableFuture<LockHandle> upgrading = views(a).upgradeAsync(held);

        held.close();
        reader.close();

        assertThat((Future<?>) upgrading)
                .failsWithin(Await.patience())
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        assertComesFree(name);
    }

    @Test
    void exchange_wrongHandle_isRefused() throws Exception {
        Client a = client();
        Client b = client();
        DistributedReadWriteLock lock = views(a);
        try (LockHandle reading = lock.readLock().acquire();
                LockHandle stranger = upgradeable(b).acquire();
                LockHandle other = a.lock(name + "-other").acquire()) {
            for (LockHandle wrong : List.of(reading, stranger, other)) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> lock.downgrade(wrong))
                        .withMessageContaining("'" + name + "'");
                assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> lock.upgrade(wrong));
            }
        }
        LockHandle closed = lock.upgradeableReadLock().acquire();
        closed.close();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.downgrade(closed));
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.upgradeAsync(closed));
        assertComesFree(name);
    }
}
