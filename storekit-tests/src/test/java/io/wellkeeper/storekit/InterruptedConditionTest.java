package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A wait on a condition that an interrupt ends, and that cannot say so. */
class InterruptedConditionTest {

    private static final String NAME = "interrupted";

    @Test
    void await_interruptedAndTheClientIsClosedBeforeItHasTheLock_staysInterrupted() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server))) {
            DistributedLock lock = client.lock(NAME);
            DistributedCondition condition = lock.newCondition();
            CountDownLatch locked = new CountDownLatch(1);
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    lock.lock();
                    locked.countDown();
                    condition.await();
                    interrupted.completeExceptionally(new AssertionError("the wait has returned"));
                } catch (LockClientClosedException closed) {
                    interrupted.complete(Thread.currentThread().isInterrupted());
                } catch (InterruptedException | RuntimeException unexpected) {
                    interrupted.completeExceptionally(unexpected);
                }
            });
            waiter.start();
            locked.await();
            try (LockHandle others = other.lock(NAME).acquire()) { // which the wait has let go
                waiter.interrupt();
                Await.until("it wants the lock again", () -> server.queueLength(NAME) == 2);

                client.close();

                assertThat(Await.result(interrupted)).isTrue();
                assertThat(others.isHeld()).isTrue();
            }
        }
    }
}
