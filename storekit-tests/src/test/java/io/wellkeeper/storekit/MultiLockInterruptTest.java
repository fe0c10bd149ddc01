package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the thread that wants several locks at once is interrupted because one of them is lost. */
class MultiLockInterruptTest {

    private final InMemoryServer server = new InMemoryServer();
    private final CountDownLatch lost = new CountDownLatch(1); // the listener hears of it after the interrupt
    private final Actor actor = new Actor();
    private final LockClient client = LockClient.over(
            new InMemoryTicketStore(server),
            ClientOptions.builder()
                    .lockDefaults(LockOptions.builder().interruptOnLoss(true).build())
                    .listener(new LockListener() {
                        @Override
                        public void lost(Acquisition what, Duration held, String reason) {
                            lost.countDown();
                        }
                    })
                    .build());
    private final DistributedMultiLock both = client.all("a", "b");

    @AfterEach
    void close() {
        actor.close();
        client.close();
        server.close();
    }

    @Test
    void lockInterruptibly_memberIsLostWhileAnotherIsWaitedFor_isAcquiredAnewWithoutAnInterrupt() throws Exception {
        try (LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            LockHandle b = other.lock("b").acquire();
            Future<Boolean> interrupted = actor.start(() -> {
                both.lockInterruptibly();
                both.checkHeld();
                both.unlock();
                return Thread.interrupted();
            });
            Await.until("it waits", () -> server.queueLength("a") == 1 && server.queueLength("b") == 2);

            client.admin().breakLock("a", "why");
            Await.until("the loss", () -> lost.getCount() == 0);
            b.close();

            assertThat(Await.result(interrupted)).isFalse();
        }
    }

    @Test
    void lockInterruptibly_memberIsLostWhenAllAreHeld_isInterrupted() {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Future<?> working = actor.begin(() -> {
            both.lockInterruptibly();
            held.countDown();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(never::await);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(both::unlock);
        });
        Await.until("all are held", () -> held.getCount() == 0);

        client.admin().breakLock("a", "why");

        Await.result(working);
        Await.until("the other is free", () -> server.queueLength("b") == 0); // its removal is sent, not waited for
    }
}
