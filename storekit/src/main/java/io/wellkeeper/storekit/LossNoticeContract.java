package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** How a holder learns of a loss: by a callback of its handle, and, if it wants, by an interrupt of its thread. */
abstract class LossNoticeContract extends LockKit {

    private static final LockOptions INTERRUPTED =
            LockOptions.builder().interruptOnLoss(true).build();

    private Client mortalClient(LockOptions locks) throws Exception {
        return client(options().sessionTimeout(fixture.shortTimeout()).lockDefaults(locks));
    }

    @Test
    void onLost_sessionIsLost_runsOnTheCallbackExecutor() throws Exception {
        ThreadLocal<Boolean> callback = ThreadLocal.withInitial(() -> false);
        try (Actor executor = new Actor()) {
            executor.run(() -> callback.set(true));
            Client client = client(options()
                    .sessionTimeout(fixture.shortTimeout())
                    .callbackExecutor(task -> executor.begin(task::run)));
            LockHandle handle = client.lock(name).acquire();
            CompletableFuture<Void> lost = Await.loss(handle);
            CompletableFuture<Boolean> where = lost.thenApply(nothing -> callback.get());
            assertThat(lost).isNotDone();

            fixture.lose(client.client());

            assertThat(Await.get(where)).isTrue();
            assertThat(handle.isHeld()).isFalse();
            Await.get(Await.loss(handle));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            Await.get(Await.loss(handle)); // the close has released nothing: the loss is still told
            client.client().close();
        }
    }

    @Test
    void onLost_releasedBefore_neverRuns() throws Exception {
        Client client = mortalClient();
        LockHandle released = client.lock(name).acquire();
        CompletableFuture<Void> before = Await.loss(released);
        released.close();
        CompletableFuture<Void> after = Await.loss(released);
        LockHandle held = client.lock(name).acquire();

        fixture.lose(client.client());

        Await.get(Await.loss(held));
        assertThat(before).isNotDone();
        assertThat(after).isNotDone();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
    }

    /** A thread that works until it is interrupted, and then does something; it has begun to work when this returns. */
    private Future<?> work(Actor.Action before, Actor.Action afterInterrupt) {
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> working = actor().begin(() -> {
            before.run();
            begun.countDown();
            assertThatThrownBy(new CountDownLatch(1)::await).isInstanceOf(InterruptedException.class);
            afterInterrupt.run();
        });
        Await.until("a thread at work", () -> begun.getCount() == 0 || working.isDone());
        return working;
    }

    private static void assertUnlockIsRefused(DistributedLock lock) {
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void interruptOnLoss_nestedHolds_interruptsTheThreadOnce() throws Exception {
        Client client = mortalClient(INTERRUPTED);
        DistributedLock lock = client.lock(name);
        Future<?> working = work(
                () -> {
                    lock.lock();
                    lock.lock();
                },
                () -> {
                    assertThat(lock.isHeldByCurrentThread()).isFalse();
                    client.events().await("lost " + name, 1);
                    assertUnlockIsRefused(lock);
                    assertUnlockIsRefused(lock);
                    lock.lock();
                    lock.unlock();
                    assertThat(Thread.interrupted()).isFalse();
                });

        fixture.lose(client.client());

        Await.result(working);
    }

    @Test
    void interruptOnLoss_eachLossOfALock_interruptsAgain() throws Exception {
        Client client = mortalClient(INTERRUPTED);
        DistributedLock lock = client.lock(name);
        for (int i = 0; i < 3; i++) {
            Future<?> working = work(lock::lock, () -> assertUnlockIsRefused(lock));

            fixture.lose(client.client());

            Await.result(working);
        }
    }

    @Test
    void interruptOnLoss_unlockedOrHeldByAHandle_interruptsNobody() throws Exception {
        Client client = mortalClient(INTERRUPTED);
        DistributedLock lock = client.lock(name);
        CountDownLatch over = new CountDownLatch(1);
        Actor caller = actor();
        CompletableFuture<LockHandle> acquired = new CompletableFuture<>();
        Future<?> spared = caller.begin(() -> {
            lock.lock();
            lock.unlock();
            acquired.complete(lock.acquire());
            over.await();
        });
        LockHandle handle = Await.get(acquired);
        DistributedLock witness = client.lock(name + "-witness");
        Future<?> interrupted = work(witness::lock, () -> assertUnlockIsRefused(witness));

        fixture.lose(client.client());

        Await.result(interrupted);
        Await.get(Await.loss(handle));
        client.events().await("lost " + name, 1);
        over.countDown();
        Await.result(spared);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void interruptOnLoss_notAskedFor_interruptsNobody() throws Exception {
        Client client = mortalClient();
        DistributedLock lock = client.lock(name);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Future<?> working = actor().begin(() -> {
            lock.lock();
            begun.countDown();
            over.await();
            assertUnlockIsRefused(lock);
        });
        Await.until("a thread at work", () -> begun.getCount() == 0);

        fixture.lose(client.client());

        client.events().await("lost " + name, 1);
        over.countDown();
        Await.result(working);
    }

    @Test
    void interruptOnLoss_chosenForOneUse_holdsForThatUse() throws Exception {
        Client client = mortalClient();
        DistributedLock lock = client.client().lock(name, INTERRUPTED);
        Future<?> working = work(lock::lock, () -> assertUnlockIsRefused(lock));

        fixture.lose(client.client());

        Await.result(working);
    }
}
