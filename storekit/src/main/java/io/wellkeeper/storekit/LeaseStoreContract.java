package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The laws of {@link LeaseStore}, as tests. A store's own test extends this and names its fixture. */
public abstract class LeaseStoreContract {

    private static final int CROWD = 8;

    private final String name = "kit-" + UUID.randomUUID();
    private final List<LeaseStore> stores = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private LeaseStoreFixture fixture;

    @RegisterExtension
    final NoLeftovers noLeftovers = NoLeftovers.of(this::leftovers).thenClose(() -> fixture);

    /** Called by the store's own test. */
    protected LeaseStoreContract() {}

    /**
     * Makes the fixture of one test.
     *
     * @return the store under test, on a server that the test may break; closed after the test
     * @throws Exception if the store cannot be used
     */
    protected abstract LeaseStoreFixture newFixture() throws Exception;

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = newFixture();
    }

    @AfterEach
    void closeStores() throws Exception {
        LeaseStore last = connect();
        try {
            leases.forEach(lease -> Await.get(last.release(lease)));
        } finally {
            stores.forEach(LeaseStore::close);
        }
    }

    private List<String> leftovers() {
        try {
            return fixture.leftovers();
        } catch (Exception failure) {
            throw new AssertionError("cannot see what is left", failure);
        }
    }

    private LeaseStore connect() throws Exception {
        LeaseStore store = fixture.connect();
        stores.add(store);
        return store;
    }

    private LeaseRequest request(String lock, Duration ttl) {
        return new LeaseRequest(lock, UUID.randomUUID().toString(), ttl, "metadata \u00e9");
    }

    private Optional<Lease> tryAcquire(LeaseStore store, LeaseRequest request) {
        Optional<Lease> lease = Await.get(store.tryAcquire(request));
        lease.ifPresent(leases::add);
        return lease;
    }

    private Lease acquire(LeaseStore store, String lock) {
        return tryAcquire(store, request(lock, fixture.longTtl())).orElseThrow();
    }

    private boolean isFree(LeaseStore store, String lock) {
        Optional<Lease> probe = Await.get(store.tryAcquire(request(lock, fixture.longTtl())));
        probe.ifPresent(lease -> Await.get(store.release(lease)));
        return probe.isPresent();
    }

    @Test
    void tryAcquire_free_givesWhatWasAskedFor() throws Exception {
        LeaseRequest request = request(name, fixture.longTtl());

        Lease lease = tryAcquire(connect(), request).orElseThrow();

        assertThat(lease.name()).isEqualTo(name);
        assertThat(lease.owner()).isEqualTo(request.owner());
        assertThat(lease.validity()).isPositive().isLessThanOrEqualTo(request.ttl());
    }

    @Test
    void tryAcquire_taken_isEmptyForEverybody() throws Exception {
        LeaseStore store = connect();
        acquire(store, name);

        assertThat(isFree(store, name)).isFalse();
        assertThat(isFree(connect(), name)).isFalse();
    }

    @Test
    void tryAcquire_repeatedBySameOwner_isTheSameLease() throws Exception {
        LeaseStore store = connect();
        LeaseRequest request = request(name, fixture.longTtl());
        Lease lease = tryAcquire(store, request).orElseThrow();

        Lease again = Await.get(store.tryAcquire(request)).orElseThrow();

        assertThat(again.token()).isEqualTo(lease.token());
        assertThat(Await.get(store.release(lease))).isTrue();
        assertThat(isFree(connect(), name)).isTrue();
    }

    @Test
    void tryAcquire_byManyAtOnce_succeedsForOne() throws Exception {
        List<CompletionStage<Optional<Lease>>> attempts = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            attempts.add(connect().tryAcquire(request(name, fixture.longTtl())));
        }
        List<Lease> won = attempts.stream()
                .flatMap(attempt -> Await.get(attempt).stream())
                .toList();
        leases.addAll(won);

        assertThat(won).hasSize(1);
    }

    @Test
    void tryAcquire_againAndAgain_tokensGrow() throws Exception {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            LeaseStore store = connect();
            Lease lease = acquire(store, name);
            OptionalLong token = lease.token();
            if (token.isPresent()) {
                assertThat(token.getAsLong()).isGreaterThan(last);
                last = token.getAsLong();
            }
            Await.get(store.release(lease));
        }
    }

    /** Like a thread that unlocks without waiting for the answer, and at once tries to acquire the lock again. */
    @Test
    void tryAcquire_askedForRightAfterTheRelease_isGiven() throws Exception {
        LeaseStore store = connect();
        List<CompletionStage<Boolean>> releases = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            releases.add(store.release(acquire(store, name)));
        }
        assertThat(releases).allMatch(Await::get);
    }

    @Test
    void tryAcquire_afterRestart_tokenStillGrows() throws Exception {
        LeaseStore before = connect();
        Lease old = acquire(before, name);
        Await.get(before.release(old));

        fixture.restart();

        Lease lease = acquire(connect(), name);
        assertThat(lease.token().isPresent()).isEqualTo(old.token().isPresent());
        assertThat(lease.token().orElse(1)).isGreaterThan(old.token().orElse(0));
    }

    @Test
    void tryAcquire_underHostileNames_everyNameIsALockOfItsOwn() throws Exception {
        LeaseStore store = connect();
        for (String hostile : HostileNames.ALL) {
            assertThat(tryAcquire(store, request(hostile, fixture.longTtl())))
                    .as("lease of '%s'", hostile)
                    .isPresent();
        }
        for (String hostile : HostileNames.ALL) {
            assertThat(isFree(store, hostile)).as("'%s' is free", hostile).isFalse();
        }
    }

    @Test
    void tryAcquire_bracesAndNoHashTag_isALockOfItsOwnOrRefused() throws Exception {
        LeaseStore store = connect();
        for (String untagged : HostileNames.UNTAGGED) {
            try {
                assertThat(tryAcquire(store, request(untagged, fixture.longTtl())))
                        .isPresent();
                assertThat(isFree(store, untagged)).isFalse();
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageContaining("'" + untagged + "'");
            }
        }
    }

    @Test
    void release_again_isFalse() throws Exception {
        LeaseStore store = connect();
        Lease lease = acquire(store, name);

        assertThat(Await.get(store.release(lease))).isTrue();
        assertThat(Await.get(store.release(lease))).isFalse();
    }

    @Test
    void release_ofLeaseThatEnded_leavesSuccessorAlone() throws Exception {
        LeaseStore store = connect();
        LeaseStore other = connect();
        Lease ended = acquire(store, name);
        Await.get(store.release(ended));
        Lease successor = acquire(other, name);

        assertThat(Await.get(store.release(ended))).isFalse();
        assertThat(Await.get(store.renew(ended, fixture.longTtl()))).isFalse();
        assertThat(Await.get(other.renew(successor, fixture.longTtl()))).isTrue();
    }

    @Test
    void release_knowingOnlyNameAndOwner_endsTheLease() throws Exception {
        LeaseStore store = connect();
        LeaseRequest request = request(name, fixture.longTtl());
        tryAcquire(store, request);
        Lease guessed = new Lease(name, request.owner(), OptionalLong.empty(), Duration.ZERO);

        assertThat(Await.get(store.release(guessed))).isTrue();
        assertThat(isFree(store, name)).isTrue();
    }

    @Test
    void release_ofRequestThatNeverWas_isFalse() throws Exception {
        LeaseStore store = connect();
        acquire(store, name);
        Lease never = new Lease(name, "nobody", OptionalLong.empty(), Duration.ZERO);

        assertThat(Await.get(store.release(never))).isFalse();
        assertThat(Await.get(store.renew(never, fixture.longTtl()))).isFalse();
        assertThat(isFree(store, name)).isFalse();
    }

    @Test
    void lease_notRenewed_endsNotBeforeItsValidityIsOver() throws Exception {
        LeaseStore store = connect();
        LeaseStore other = connect();
        long sent = System.nanoTime();
        Lease lease = tryAcquire(store, request(name, fixture.shortTtl())).orElseThrow();

        Await.until("the lock is free", () -> isFree(other, name));

        long freeAfter = System.nanoTime() - sent;
        assertThat(freeAfter).isGreaterThanOrEqualTo(lease.validity().toNanos());
        assertThat(Await.get(store.renew(lease, fixture.shortTtl()))).isFalse();
        assertThat(Await.get(store.release(lease))).isFalse();
    }

    @Test
    void renew_inTime_leaseOutlivesItsTtl() throws Exception {
        LeaseStore store = connect();
        LeaseStore other = connect();

        Await.until("a machine that does not stand still for a ttl", () -> outlivesItsTtl(store, other));
    }

    /** Renews a lease for twice its time to live; false if it was not renewed in time once. */
    private boolean outlivesItsTtl(LeaseStore store, LeaseStore other) {
        Duration ttl = fixture.shortTtl();
        long start = System.nanoTime();
        Lease lease = Await.get(store.tryAcquire(request(name, ttl))).orElseThrow();
        long last = start;
        boolean inTime = true;
        while (inTime && last - start <= 2 * ttl.toNanos()) {
            long now = System.nanoTime();
            boolean renewed = Await.get(store.renew(lease, ttl));
            inTime = System.nanoTime() - last < ttl.toNanos();
            assertThat(renewed || !inTime).isTrue();
            last = now;
        }
        boolean free = isFree(other, name);
        inTime &= System.nanoTime() - last < ttl.toNanos();
        assertThat(free && inTime).isFalse();
        Await.get(store.release(lease));
        return inTime;
    }

    @Test
    void renew_withLongerTtl_leaseLivesThatLong() throws Exception {
        LeaseStore store = connect();
        Lease lease = tryAcquire(store, request(name, fixture.shortTtl())).orElseThrow();
        Await.get(store.renew(lease, fixture.longTtl()));

        awaitEndOfShortLease();

        assertThat(isFree(connect(), name)).isFalse();
    }

    /** Like a renewal that was given up and arrives after a later one that has been answered. */
    @Test
    void renew_withShorterTtl_leaseLivesAsLongAsBefore() throws Exception {
        LeaseStore store = connect();
        Lease lease = acquire(store, name);

        assertThat(Await.get(store.renew(lease, fixture.shortTtl()))).isTrue();

        awaitEndOfShortLease();
        assertThat(isFree(connect(), name)).isFalse();
        assertThat(Await.get(store.renew(lease, fixture.longTtl()))).isTrue();
    }

    @Test
    void tryAcquire_repeatedAfterALongerRenewal_leaseLivesAsLongAsBefore() throws Exception {
        LeaseStore store = connect();
        LeaseRequest request = request(name, fixture.shortTtl());
        Lease lease = tryAcquire(store, request).orElseThrow();
        assertThat(Await.get(store.renew(lease, fixture.longTtl()))).isTrue();

        assertThat(tryAcquire(store, request)).isPresent();

        awaitEndOfShortLease();
        assertThat(isFree(connect(), name)).isFalse();
        assertThat(Await.get(store.renew(lease, fixture.longTtl()))).isTrue();
    }

    private void awaitEndOfShortLease() throws Exception {
        Lease shorter =
                tryAcquire(connect(), request(name + "-2", fixture.shortTtl())).orElseThrow();
        LeaseStore other = connect();
        Await.until("a shorter lease has ended", () -> isFree(other, shorter.name()));
    }

    @Test
    void onRelease_closed_leavesNothingAndMayBeRepeated() throws Exception {
        LeaseStore store = connect();
        Registration registration = store.onRelease(name, () -> {});

        registration.close();
        registration.close();

        assertThat(isFree(store, name)).isTrue();
    }
}
