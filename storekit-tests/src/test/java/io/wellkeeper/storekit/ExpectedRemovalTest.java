package io.wellkeeper.storekit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.TicketHolder;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A ticket whose removal is expected, as by a transaction that commits, is not lost when it departs. */
class ExpectedRemovalTest {

    private static final String NAME = "expected";
    private static final Duration A_WHILE = Duration.ofSeconds(5);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final List<String> losses = new ArrayList<>();
    private @Nullable Runnable atSecondLook;
    private final LockClient client = LockClient.over(
            new InMemoryTicketStore(server),
            ClientOptions.builder()
                    .time(new Interrupted(time))
                    .callbackExecutor(time.executor())
                    .listener(new LockListener() {
                        @Override
                        public void lost(Acquisition what, Duration held, String reason) {
                            losses.add(reason);
                        }
                    })
                    .build());

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void expectRemoval_nextOfTheSameClientGetsIn_isNoLoss() {
        DistributedLock lock =
                client.lock(NAME, LockOptions.builder().handOvers(0).build());

        assertIsNoLossWhenTheNextGetsIn(lock, lock);
    }

    @Test
    void expectRemoval_readerOfTheSameClientGetsIn_isNoLoss() {
        DistributedReadWriteLock lock = client.readWriteLock(NAME);

        assertIsNoLossWhenTheNextGetsIn(lock.writeLock(), lock.readLock());
    }

    @Test
    void downgrade_removalIsExpected_isRefused() {
        DistributedReadWriteLock lock = client.readWriteLock(NAME);
        LockHandle writing = acquire(lock.writeLock());
        ((TicketHolder) writing).expectRemoval();

        assertThatThrownBy(() -> lock.downgrade(writing))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + NAME + "' is passed on");

        assertThat(writing.isHeld()).isTrue();
        assertIsGivenUpBy(writing::close);
    }

    @Test
    void readLock_byTheWriterWhoseTicketIsToBeRemoved_isRefused() {
        DistributedReadWriteLock lock = client.readWriteLock(NAME);
        time.call(() -> {
            lock.writeLock().lock();
            ((TicketHolder) lock.writeLock()).expectRemoval();
            for (ThrowingCallable reading : List.<ThrowingCallable>of(
                    lock.readLock()::lock,
                    lock.readLock()::tryLock,
                    () -> lock.readLock().tryLock(1, SECONDS))) {
                assertThatThrownBy(reading).isInstanceOf(IllegalStateException.class);
            }
            lock.writeLock().unlock();
            return true;
        });

        assertIsGivenUpBy(() -> {});
    }

    /** Somebody else may be in by then. */
    @Test
    void lock_byTheThreadWhoseTicketIsToBeRemoved_isRefusedAndSoIsAWait() {
        DistributedLock lock = client.lock(NAME);
        time.call(() -> {
            lock.lock();
            ((TicketHolder) lock).expectRemoval();
            for (ThrowingCallable again : List.<ThrowingCallable>of(
                    lock::lock,
                    lock::tryLock,
                    () -> lock.tryLock(1, SECONDS),
                    client.all(NAME)::lock,
                    lock.newCondition()::await)) {
                assertThatThrownBy(again)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'" + NAME + "' is passed on");
            }
            assertThat(lock.getHoldCount()).isEqualTo(1);
            lock.unlock();
            return true;
        });

        assertIsGivenUpBy(() -> {});
    }

    /** It would be nobody's if the close were forgotten; the transaction may yet be rolled back. */
    @Test
    void close_whileADowngradeIsAboutToBeRefused_isDoneWhenThatIsRefused() {
        DistributedReadWriteLock lock = client.readWriteLock(NAME);
        LockHandle writing = acquire(lock.writeLock());
        ((TicketHolder) writing).expectRemoval();
        atSecondLook = writing::close; // the first one is whether it is held

        assertThatThrownBy(() -> lock.downgrade(writing))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + NAME + "' is passed on");

        assertThat(atSecondLook).isNull();
        assertThat(writing.isHeld()).isFalse();
        assertIsGivenUpBy(writing::close);
    }

    /** Another thread comes between when somebody looks at the clock. */
    private final class Interrupted implements Time {

        private final Time sound;
        private int looks;

        Interrupted(Time sound) {
            this.sound = sound;
        }

        @Override
        public long nanoTime() {
            Runnable now = atSecondLook;
            if (now != null && ++looks == 2) {
                atSecondLook = null;
                now.run();
            }
            return sound.nanoTime();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return sound.schedule(delay, task);
        }
    }

    private void assertIsGivenUpBy(Runnable release) {
        release.run();
        time.advance(A_WHILE);
        assertThat(server.queueLength(NAME)).isZero();
    }

    private void assertIsNoLossWhenTheNextGetsIn(DistributedLock committed, DistributedLock next) {
        LockHandle first = acquire(committed);
        ((TicketHolder) first).expectRemoval();
        server.removeTicket(NAME, 0); // the transaction commits

        LockHandle second = acquire(next);

        assertThatCode(first::close).doesNotThrowAnyException();
        time.advance(A_WHILE);
        assertThat(losses).isEmpty();
        assertThat(second.isHeld()).isTrue();
        second.close();
        time.advance(A_WHILE);
        assertThat(server.queueLength(NAME)).isZero();
    }

    private LockHandle acquire(DistributedLock lock) {
        CompletableFuture<LockHandle> acquired = lock.acquireAsync();
        time.advance(A_WHILE);
        assertThat(acquired.isDone()).isTrue();
        return acquired.join();
    }
}
