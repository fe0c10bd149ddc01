package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Locks that are given for a while and no longer: {@link LockOptions#leaseWithoutRenewal()}. */
public abstract class UnrenewedLeaseContract extends LockKit {

    /** For the store's own test to call. */
    protected UnrenewedLeaseContract() {}

    private LockOptions lease(Duration length) {
        return LockOptions.builder()
                .leaseWithoutRenewal(length)
                .awaitRelease(true)
                .build();
    }

    private Client leasing(Duration length) throws Exception {
        Client client = client(lease(length));
        Assumptions.assumeFalse(client.client() instanceof LockClient, "a queue has no leases");
        return client;
    }

    @Test
    void lock_storeKeepsAQueue_isRefused() throws Exception {
        Client client = client();
        Assumptions.assumeTrue(client.client() instanceof LockClient, "this store keeps no queue");

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> client.client().lock(name, lease(fixture.longTimeout())));
    }

    @Test
    void lease_isOverWhileHeld_isLostToItsHolderAndOthersGetIn() throws Exception {
        Client client = leasing(fixture.shortTimeout());
        Client next = client();
        DistributedLock lock = client.lock(name);
        CompletableFuture<String> told = new CompletableFuture<>();
        lock.lock();
        assertThat(lock.remaining()).isPositive().isLessThanOrEqualTo(fixture.shortTimeout());
        lock.onLost(() -> told.complete("told"));
        Actor waiter = actor();
        Future<?> acquired = next.queueUp(waiter, name);

        Await.result(acquired);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(Await.get(told)).isEqualTo("told");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(waiter.call(next.lock(name)::isHeldByCurrentThread)).isTrue();
        release(waiter, next, name);
    }

    @Test
    void lease_isOverBesideOneThatIsRenewed_onlyTheLatterIsHeld() throws Exception {
        Client client = leasing(fixture.shortTimeout());
        DistributedLock renewed = client.client().lock(name + "-renewed", LockOptions.defaults());
        DistributedLock lock = client.lock(name);
        renewed.lock();
        lock.lock();

        Await.until("the lease is over", () -> !lock.isHeldByCurrentThread());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkHeld);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        renewed.checkHeld();
        renewed.unlock();
    }

    @Test
    void unlock_beforeTheEnd_nextHasALeaseOfItsOwn() throws Exception {
        Client client = leasing(fixture.longTimeout());
        DistributedLock lock = client.lock(name);
        lock.lock();
        lock.lock();
        long token = fixture.hasTokens() ? lock.fencingToken() : 0;
        Actor other = actor();
        Future<?> acquired = client.queueUp(other, name);
        lock.unlock();
        lock.checkHeld();

        lock.unlock();

        Await.result(acquired);
        if (fixture.hasTokens()) {
            assertThat(other.call(lock::fencingToken)).isGreaterThan(token);
        }
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
        other.run(lock::unlock);
        assertComesFree(name);
    }

    @Test
    void lock_sameNameWithRenewal_isRefusedWhileInUse() throws Exception {
        Client client = leasing(fixture.longTimeout());
        DistributedLock lock = client.lock(name);
        lock.lock();

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(client.client().lock(name, LockOptions.defaults())::tryLock)
                .withMessageContaining("leaseWithoutRenewal");
        lock.unlock();
    }
}
