package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: handles that are downgraded. */
abstract class ReadWriteHandleContract extends ReadWriteKit {

    private static final Duration LONG = Duration.ofMinutes(5);

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
    void downgrade_wrongHandle_isRefused() throws Exception {
        Client a = client();
        Client b = client();
        DistributedReadWriteLock lock = views(a);
        try (LockHandle reading = lock.readLock().acquire();
                LockHandle stranger = read(b).acquire();
                LockHandle other = a.lock(name + "-other").acquire()) {
            for (LockHandle wrong : List.of(reading, stranger, other)) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> lock.downgrade(wrong))
                        .withMessageContaining("'" + name + "'");
            }
        }
        LockHandle closed = lock.writeLock().acquire();
        closed.close();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.downgrade(closed));
        assertComesFree(name);
    }
}
