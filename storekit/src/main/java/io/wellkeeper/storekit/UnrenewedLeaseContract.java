package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Locks that are granted for a fixed time only: {@link LeaseClient#acquireLease}. */
abstract class UnrenewedLeaseContract extends LockKit {

    private static LeaseClient leases(Client client) {
        Assumptions.assumeTrue(client.client() instanceof LeaseClient, "a queue has no leases");
        return (LeaseClient) client.client();
    }

    private Client awaitingClient() throws Exception {
        return client(LockOptions.builder().awaitRelease(true).build());
    }

    @Test
    void acquireLease_badNameOrLength_isRefused() throws Exception {
        LeaseClient client = leases(client());
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(9), Duration.ofSeconds(-1))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.tryAcquireLease(name, bad))
                    .withMessageContaining("at least PT0.01S");
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> client.acquireLease("", fixture.longTimeout()))
                .withMessageStartingWith("lock name");
        LeaseHandle held = client.acquireLease(name, fixture.longTimeout());
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> held.extend(Duration.ZERO));
        held.close();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> held.extend(fixture.longTimeout()))
                .isNotInstanceOf(LockLostException.class);
    }

    @Test
    void lease_isOverWhileHeld_isLostToItsHolderAndOthersGetIn() throws Exception {
        Client next = client();
        CompletableFuture<String> told = new CompletableFuture<>();
        LeaseHandle held = leases(client()).acquireLease(name, fixture.shortTimeout());
        assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(fixture.shortTimeout());
        held.onLost(() -> told.complete("told"));
        Actor waiter = actor();

        Await.result(waiter.begin(() -> next.lock(name).lock()));

        assertThat(held.isHeld()).isFalse();
        assertThat(Await.get(told)).isEqualTo("told");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(fixture.longTimeout()));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        assertThat(waiter.call(next.lock(name)::isHeldByCurrentThread)).isTrue();
        release(waiter, next, name);
    }

    @Test
    void lease_isOverBesideOneThatIsRenewed_onlyTheLatterIsHeld() throws Exception {
        Client client = client();
        DistributedLock renewed = client.lock(name + "-renewed");
        renewed.lock();
        LeaseHandle held = leases(client).acquireLease(name, fixture.shortTimeout());

        Await.until("the lease is over", () -> !held.isHeld());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::checkHeld);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        renewed.checkHeld();
        renewed.unlock();
    }

    @Test
    void close_beforeTheEnd_nextHasALeaseOfItsOwn() throws Exception {
        Client client = awaitingClient();
        LeaseHandle held = leases(client).acquireLease(name, fixture.longTimeout());
        long token = fixture.hasTokens() ? held.fencingToken() : 0;
        assertThat(leases(client).tryAcquireLease(name, fixture.longTimeout())).isEmpty();
        assertThat(leases(client).tryAcquireLease(name, fixture.longTimeout(), Duration.ofMillis(20)))
                .isEmpty();
        CompletableFuture<LeaseHandle> next = new CompletableFuture<>();
        Future<?> acquired = client.queueUp(
                actor(), name, () -> next.complete(leases(client).acquireLease(name, fixture.longTimeout())));

        held.close();

        Await.result(acquired);
        if (fixture.hasTokens()) {
            assertThat(Await.get(next).fencingToken()).isGreaterThan(token);
        }
        assertThat(client.lock(name).tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
        Await.get(next).close();
        assertComesFree(name);
    }

    @Test
    void acquireLease_oneAfterTheOtherAndLocksBetween_eachLastsAsLongAsItsOwn() throws Exception {
        Client client = awaitingClient();
        LeaseHandle longer = leases(client).acquireLease(name, fixture.longTimeout());
        Future<?> locked = client.queueUp(actor(), name, () -> {
            client.lock(name).lock();
            client.lock(name).unlock();
        });
        longer.close();
        Await.result(locked);

        LeaseHandle shorter =
                leases(client).tryAcquireLease(name, fixture.shortTimeout()).orElseThrow();
        assertThat(shorter.remaining()).isLessThanOrEqualTo(fixture.shortTimeout());
        Await.until("the lease is over", () -> !shorter.isHeld());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(shorter::close);
        LeaseHandle again = leases(client)
                .tryAcquireLease(name, fixture.longTimeout(), Await.patience())
                .orElseThrow();
        again.close();
    }

    @Test
    void extend_beforeTheEnd_lastsFromThenOn() throws Exception {
        Client next = client();
        LeaseHandle held = leases(client()).acquireLease(name, fixture.shortTimeout());
        long begun = System.nanoTime();

        held.extend(fixture.shortTimeout().multipliedBy(3));

        CompletableFuture<Void> lost = Await.loss(held);
        Actor waiter = actor();
        Await.result(next.queueUp(waiter, name));
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThan(fixture.shortTimeout().multipliedBy(2));
        assertThat(held.isHeld()).isFalse();
        assertThat(lost).succeedsWithin(Await.patience());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        release(waiter, next, name);
    }

    @Test
    void extend_lastsLongerInAnyCase_changesNothing() throws Exception {
        Client client = awaitingClient();
        LeaseHandle held = leases(client).acquireLease(name, fixture.longTimeout());

        held.extend(Duration.ofMillis(10));

        assertThat(held.remaining()).isGreaterThan(Duration.ofMillis(10));
        held.close();
        assertComesFree(name);
    }
}
