package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread may be of a class that does something of its own when it is interrupted, and fails with that. */
class InterruptedOwnerTest {

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(
            new InMemoryTicketStore(server),
            ClientOptions.builder()
                    .lockDefaults(LockOptions.builder().interruptOnLoss(true).build())
                    .build());
    private final DistributedLock lock = client.lock("a");
    private final CompletableFuture<Void> held = new CompletableFuture<>();
    private final CompletableFuture<Void> goOn = new CompletableFuture<>();
    private final CompletableFuture<Void> unlocked = new CompletableFuture<>();

    @AfterEach
    void close() {
        goOn.complete(null);
        client.close();
        server.close();
    }

    @Test
    void breakLock_interruptOfTheOwnerThrows_nextIsLetInAndTheOwnerIsTold() {
        Thread owner = new Thread(this::lockAndUnlock) {
            @Override
            public void interrupt() {
                throw new IllegalStateException("thrown by a thread of the user's");
            }
        };
        owner.setDaemon(true);
        owner.start();
        Await.get(held);
        CompletableFuture<LockHandle> next = lock.acquireAsync();

        client.admin().breakLock("a", "why");

        assertThat(Await.get(next).isHeld()).isTrue();
        goOn.complete(null);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Await.get(unlocked));
    }

    private void lockAndUnlock() {
        lock.lock();
        held.complete(null);
        goOn.join();
        try {
            lock.unlock();
            unlocked.complete(null);
        } catch (LockLostException told) {
            unlocked.completeExceptionally(told);
        }
    }
}
