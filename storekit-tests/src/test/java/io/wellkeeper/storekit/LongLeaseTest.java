package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.ForwardingLeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that nobody renews, of a store that does not vouch for so long a time at once. */
class LongLeaseTest {

    private static final Duration LENGTH = Duration.ofMinutes(2);
    private static final Duration VALIDITY = Duration.ofSeconds(5);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private volatile boolean silent;
    private volatile boolean failing;
    private final AtomicInteger releases = new AtomicInteger();
    private volatile Duration validity = VALIDITY;
    private volatile @Nullable CompletableFuture<Void>
            late; // before it no answer comes, though the store does what it is asked
    private final AtomicReference<Runnable> lastRenewal =
            new AtomicReference<>(() -> {}); // what comes before it is sent
    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryLeaseStore store = new InMemoryLeaseStore(server);
    private final LeaseClient client = LeaseClient.over(
            new Cautious(store),
            ClientOptions.builder()
                    .time(time)
                    .callbackExecutor(time.executor())
                    .closeTimeout(Duration.ZERO)
                    .storeTimeout(SECOND.dividedBy(2))
                    .build());

    /** Vouches for no more than {@link #VALIDITY}, unless a test wants something else. */
    private final class Cautious extends ForwardingLeaseStore {

        Cautious(LeaseStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
            return super.tryAcquire(request)
                    .thenApply(given ->
                            given.map(lease -> new Lease(lease.name(), lease.owner(), lease.token(), validity)));
        }

        @Override
        public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
            if (silent) {
                return new CompletableFuture<>();
            }
            if (ttl.compareTo(SECOND) < 0) {
                lastRenewal.getAndSet(() -> {}).run();
            }
            CompletionStage<Boolean> renewed = super.renew(lease, ttl);
            CompletableFuture<Void> first = late;
            return first == null ? renewed : renewed.thenCombine(first, (done, then) -> done);
        }

        @Override
        public CompletionStage<Boolean> release(Lease lease) {
            releases.incrementAndGet();
            return failing
                    ? CompletableFuture.failedFuture(new LockStoreException("the connection has broken"))
                    : super.release(lease);
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private LeaseHandle acquire() {
        return time.call(() -> client.tryAcquireLease("long", LENGTH)).orElseThrow();
    }

    @Test
    void lease_storeVouchesForAPartOfItAtOnce_lastsUntilItsEndAndNotLonger() {
        LeaseHandle handle = acquire();

        time.advance(LENGTH.multipliedBy(9).dividedBy(10));
        assertThat(handle.isHeld()).isTrue();
        assertThat(handle.remaining()).isLessThanOrEqualTo(VALIDITY);

        time.advance(LENGTH.dividedBy(10));
        assertThat(handle.isHeld()).isFalse();
        time.advance(LENGTH);
        assertThat(server.leftovers()).isEmpty();
    }

    /** Each lease that is owed would be asked back five times a second, for as long as twice its length. */
    @Test
    void close_storeFails_releaseIsSentEverLessOften() {
        LeaseHandle handle = acquire();
        failing = true;
        handle.close();

        time.advance(LENGTH.dividedBy(2));
        assertThat(releases).hasValueLessThan(100);

        failing = false;
        time.advance(SECOND.multipliedBy(5));
        assertThat(server.leftovers()).isEmpty();
    }

    @Test
    void lease_storeIsNotHeardOfAnyMore_isOverWhenNobodyVouchesForIt() {
        LeaseHandle handle = acquire();
        time.advance(LENGTH.dividedBy(2));
        store.cut();

        time.advance(VALIDITY);

        assertThat(handle.isHeld()).isFalse();
    }

    private void extend(LeaseHandle handle, Duration length) {
        time.call(() -> {
            handle.extend(length);
            return true;
        });
    }

    @Test
    void extend_storeVouchesForAPartOfItAtOnce_lastsUntilTheNewEndAndNotLonger() {
        LeaseHandle handle = acquire();
        time.advance(LENGTH.dividedBy(2));

        extend(handle, LENGTH);

        time.advance(LENGTH.multipliedBy(9).dividedBy(10));
        assertThat(handle.isHeld()).isTrue();
        time.advance(LENGTH.dividedBy(10));
        assertThat(handle.isHeld()).isFalse();
    }

    @Test
    void extend_storeIsSilent_failsInTime() {
        LeaseHandle handle = acquire();
        silent = true;

        CompletableFuture<Void> extending = extendLater(handle, LENGTH.multipliedBy(2));
        Await.until("an answer", () -> {
            time.advance(Duration.ofSeconds(1));
            return extending.isDone();
        });

        assertThatThrownBy(extending::join)
                .hasCauseInstanceOf(LockStoreException.class)
                .hasMessageContaining("did not answer within");
        silent = false;
        time.advance(LENGTH);
        assertThat(handle.isHeld()).isFalse();
    }

    /** He was told that it has failed. */
    @Test
    void extend_answeredWhenNobodyWaitsForItAnyMore_isNotReliedUpon() {
        LeaseHandle handle =
                time.call(() -> client.tryAcquireLease("long", VALIDITY)).orElseThrow();
        time.advance(VALIDITY.minus(SECOND));
        CompletableFuture<Void> answer = new CompletableFuture<>();
        late = answer;
        CompletableFuture<Void> first = extendLater(handle, LENGTH);
        Await.until("the end of its patience", () -> {
            time.advance(SECOND.dividedBy(100));
            return first.isCompletedExceptionally();
        });

        late = null;
        extend(handle, SECOND);
        answer.complete(null);
        time.advance(SECOND);

        assertThat(handle.isHeld()).isFalse();
    }

    /** The shorter one, which was asked for when the longer one was under way. */
    @Test
    void extend_longerOneIsUnderWay_isNotMadeShorter() {
        LeaseHandle handle =
                time.call(() -> client.tryAcquireLease("long", VALIDITY)).orElseThrow();
        time.advance(VALIDITY.minus(SECOND.dividedBy(2)));
        CompletableFuture<Void> answer = new CompletableFuture<>();
        late = answer;
        CompletableFuture<Void> longer = extendLater(handle, LENGTH);
        CompletableFuture<Void> shorter = extendLater(handle, SECOND);

        answer.complete(null);
        Await.until("both answers", () -> {
            time.runUntilIdle();
            return longer.isDone() && shorter.isDone();
        });
        time.advance(SECOND);

        assertThat(server.leftovers()).hasSize(1);
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void extend_renewalIsJustBeingSent_isNotMadeShorterByIt() {
        Duration length = VALIDITY.multipliedBy(3).minus(SECOND);
        LeaseHandle handle =
                time.call(() -> client.tryAcquireLease("long", length)).orElseThrow();
        CompletableFuture<CompletableFuture<Void>> extending = new CompletableFuture<>();
        lastRenewal.set(() -> extending.complete(extendLater(handle, length)));

        Await.until("the last renewal", () -> {
            time.advance(SECOND.dividedBy(10));
            return extending.isDone();
        });
        Await.until("an answer", () -> {
            time.runUntilIdle();
            return extending.join().isDone();
        });
        time.advance(SECOND);

        assertThat(server.leftovers()).hasSize(1);
        assertThat(handle.isHeld()).isTrue();
    }

    /** It has asked when this returns. */
    private CompletableFuture<Void> extendLater(LeaseHandle handle, Duration length) {
        int pending = time.pending();
        CompletableFuture<Void> extending = CompletableFuture.runAsync(() -> handle.extend(length));
        Await.until("an extension under way", () -> time.pending() > pending);
        return extending;
    }

    @Test
    void extend_clientIsClosedMeanwhile_failsAtOnce() {
        LeaseHandle handle = acquire();
        silent = true;
        CompletableFuture<Void> extending = extendLater(handle, LENGTH.multipliedBy(2));

        client.close();

        assertThatThrownBy(() -> Await.get(extending)).isInstanceOf(LockClientClosedException.class);
    }

    @Test
    void close_extendedAndOutOfTouchForLongerThanTheFirstLength_isGivenBackAfterwards() {
        LeaseHandle handle = acquire();
        extend(handle, LENGTH.multipliedBy(10));
        store.cut();

        handle.close();
        time.advance(LENGTH.multipliedBy(2));
        store.mend();
        time.advance(Duration.ofSeconds(1));

        assertThat(server.leftovers()).isEmpty();
    }

    /** The store has carried the extension out. */
    @Test
    void close_extensionWasNotAnsweredAndOutOfTouchForLong_isGivenBackAfterwards() {
        LeaseHandle handle = acquire();
        late = new CompletableFuture<>();
        CompletableFuture<Void> extending = extendLater(handle, LENGTH.multipliedBy(10));
        Await.until("the end of its patience", () -> {
            time.advance(SECOND.dividedBy(100));
            return extending.isCompletedExceptionally();
        });
        late = null;
        store.cut();

        handle.close();
        time.advance(LENGTH.multipliedBy(4));
        store.mend();
        time.advance(SECOND);

        assertThat(server.leftovers()).isEmpty();
    }

    @Test
    void tryAcquireLease_lengthThatOverflows_lastsForAsLongAsCanBeCounted() {
        LeaseHandle handle = time.call(() -> client.tryAcquireLease("long", Duration.ofSeconds(Long.MAX_VALUE)))
                .orElseThrow();
        extend(handle, Duration.ofSeconds(Long.MAX_VALUE));
        time.advance(LENGTH);

        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }

    @Test
    void tryAcquireLease_storeVouchesForLongerThanCanBeCounted_isHeld() {
        validity = Duration.ofSeconds(Long.MAX_VALUE);

        LeaseHandle handle = acquire();

        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }
}
