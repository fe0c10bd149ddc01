package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLatch;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStatus;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Participant;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * Names, times and texts that a caller should not give. Invalid input is refused before anything is sent, and hurts no
 * other client. Valid input means the same over every store. {@link LockContract} has the names of locks.
 */
abstract class BadInputContract extends LockKit {

    private static final int LONGEST_MESSAGE = 1_000;

    /** Invalid names. */
    private static final List<String> BAD_NAMES = List.of(
            "",
            "\0",
            "a\0b",
            "\ud83d",
            "\udd12",
            "\udd12\ud83d",
            "a\ud800b",
            "x".repeat(513),
            "\u00e9".repeat(257),
            "\u9501".repeat(171),
            "x".repeat(2_000_000),
            "wellkeeper:",
            "wellkeeper:latch/a");

    /** Times that are not positive. */
    private static final List<Duration> NO_TIME =
            List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1), Duration.ofSeconds(Long.MIN_VALUE));

    private static final List<Duration> FOR_EVER =
            List.of(Duration.ofNanos(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

    /** Texts that people write on a lock, and texts of attackers. */
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "a\0b",
            "a\ud83db",
            "\udd12",
            "\r\nHTTP/1.1 200 OK\r\n",
            "\u001b[2J",
            "\"}, {\"",
            "\\",
            "\\u0000",
            "'; drop table wellkeeper_ticket --",
            "]] redis.call('flushall') --",
            "</script><script>",
            "${jndi:ldap://x}",
            "\u202e",
            "\uffff",
            "\u9501".repeat(1_024));

    /** With these options a lock is free for all clients when the release returns. */
    private static final LockOptions AWAITED =
            LockOptions.builder().awaitRelease(true).build();

    private final List<AutoCloseable> opened = new ArrayList<>();

    @Test
    void everyKind_badName_isRefusedAndNobodyElseNotices() throws Exception {
        Client client = client();
        DistributedLock other = client.lock(name);
        other.lock();
        for (String bad : BAD_NAMES) {
            Map<String, Actor.Action> calls = new LinkedHashMap<>();
            calls.put("lock", () -> client.lock(bad));
            calls.put("lock with options", () -> client.client().lock(bad, LockOptions.defaults()));
            if (client.client() instanceof LockClient queues) {
                calls.put("readWriteLock", () -> queues.readWriteLock(bad));
                calls.put("semaphore", () -> queues.semaphore(bad, 1));
                calls.put("latch", () -> queues.latch(bad));
                calls.put("barrier", () -> queues.barrier(bad, 1));
                calls.put("all", () -> queues.all(name, bad));
                calls.put("election", () -> opened.add(queues.election(bad, new Silent())));
            }
            calls.forEach((what, call) -> assertThatExceptionOfType(IllegalArgumentException.class)
                    .as("%s of a name with %s characters", what, bad.length())
                    .isThrownBy(call::run)
                    .withMessageStartingWith("lock name")
                    .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(LONGEST_MESSAGE)));
        }
        assertThat(opened).isEmpty();
        other.checkHeld();
        assertThat(client().lock(name).tryLock()).isFalse();
        other.unlock();
        assertThat(client.events().count("lost " + name)).isZero();
    }

    @Test
    void semaphores_hostileNames_areSemaphoresOfTheirOwn() throws Exception {
        LockClient holder = client().queues();
        LockClient other = client().queues();
        List<Permits> permits = new ArrayList<>();
        for (String hostile : HostileNames.ALL) {
            permits.add(holder.semaphore(hostile, 2).acquire());
        }
        for (String hostile : HostileNames.ALL) {
            assertThat(other.semaphore(hostile, 2).availablePermits())
                    .as("'%s'", hostile)
                    .isEqualTo(1);
        }
        permits.forEach(Permits::close);
    }

    @Test
    void latches_hostileNames_areLatchesOfTheirOwn() throws Exception {
        LockClient setter = client().queues();
        LockClient other = client().queues();
        for (int i = 0; i < HostileNames.ALL.size(); i++) {
            assertThat(setter.latch(HostileNames.ALL.get(i)).trySetCount(i + 1))
                    .as("'%s'", HostileNames.ALL.get(i))
                    .isTrue();
        }
        for (int i = 0; i < HostileNames.ALL.size(); i++) {
            DistributedLatch latch = other.latch(HostileNames.ALL.get(i));
            assertThat(latch.getCount()).as("'%s'", HostileNames.ALL.get(i)).isEqualTo(i + 1);
            latch.delete();
        }
    }

    @Test
    void everyKind_hostileName_works() throws Exception {
        Client client = client();
        LockClient queues = client.queues();
        LockClient other = client().queues();
        for (String hostile : HostileNames.ALL) {
            DistributedLock lock = queues.readWriteLock(hostile).writeLock();
            lock.lock();
            lock.newCondition().signalAll();
            LockStatus status = other.admin().inspect(hostile);
            assertThat(status.name()).isEqualTo(hostile);
            assertThat(status.holders()).as("'%s'", hostile).hasSize(1);
            assertThat(other.admin().requestRevocation(hostile, "please"))
                    .as("'%s'", hostile)
                    .isEqualTo(1);
            lock.unlock();
            assertThat(queues.barrier(hostile, 1).await()).as("'%s'", hostile).isZero();
        }
    }

    @Test
    void timedCalls_noTime_tryOnce() throws Exception {
        Client a = client(AWAITED);
        Client b = client();
        Actor holder = holder(a, name);
        DistributedLock lock = b.lock(name);
        for (Duration none : NO_TIME) {
            assertThat(lock.tryAcquire(none)).as("%s", none).isEmpty();
            assertThat(Await.get(lock.tryAcquireAsync(none))).as("%s", none).isEmpty();
        }
        release(holder, a, name);
        for (Duration none : NO_TIME) {
            close(lock.tryAcquire(none));
            close(Await.get(lock.tryAcquireAsync(none)));
        }
    }

    @Test
    void timedCalls_timesThatOverflow_wait() throws Exception {
        Client a = client();
        Client b = client();
        for (Duration longest : FOR_EVER) {
            Actor holder = holder(a, name);
            Actor waiter = actor();
            var acquired = b.queueUp(
                    waiter,
                    name,
                    () -> b.lock(name).tryAcquire(longest).orElseThrow().close());
            release(holder, a, name);
            Await.result(acquired);
            close(Await.get(b.lock(name).tryAcquireAsync(longest)));
        }
    }

    @Test
    void timedCallsOfTheFamily_noTime_tryOnce() throws Exception {
        LockClient a = client(AWAITED).queues();
        LockClient b = client(AWAITED).queues();
        DistributedSemaphore semaphore = b.semaphore(name, 1);
        DistributedLatch latch = b.latch(name);
        latch.trySetCount(1);
        LockHandle permit = a.semaphore(name, 1).acquire(1);
        LockHandle member = a.lock(name + "-2").acquire();
        for (Duration none : NO_TIME) {
            assertThat(semaphore.tryAcquire(1, none)).as("%s", none).isEmpty();
            assertThat(Await.get(semaphore.tryAcquireAsync(1, none)))
                    .as("%s", none)
                    .isEmpty();
            assertThat(Await.get(latch.awaitAsync(none))).as("%s", none).isFalse();
            assertThat(b.all(name + "-1", name + "-2").tryAcquire(none))
                    .as("%s", none)
                    .isEmpty();
            assertThat(b.barrier(name, 2).awaitAsync(none))
                    .as("%s", none)
                    .failsWithin(Await.patience())
                    .withThrowableThat()
                    .withCauseInstanceOf(TimeoutException.class);
        }
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(latch.await(none, TimeUnit.DAYS)).isFalse();
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> b.barrier(name, 2).await(none, TimeUnit.DAYS));
        }
        permit.close();
        member.close();
        latch.countDown();
        for (Duration none : NO_TIME) {
            Optional<MultiLockHandle> both = b.all(name + "-1", name + "-2").tryAcquire(none);
            both.orElseThrow().close();
            close(semaphore.tryAcquire(1, none));
            assertThat(Await.get(latch.awaitAsync(none))).isTrue();
        }
        latch.delete();
    }

    @Test
    void timedCallsOfTheFamily_timesThatOverflow_wait() throws Exception {
        LockClient a = client().queues();
        Client waiting = client();
        LockClient b = waiting.queues();
        for (Duration longest : FOR_EVER) {
            LockHandle permit = a.semaphore(name, 1).acquire(1);
            var semaphore = b.semaphore(name, 1).tryAcquireAsync(1, longest);
            LockHandle member = a.lock(name + "-2").acquire();
            var both = b.all(name + "-1", name + "-2").tryAcquireAsync(longest);
            a.latch(name).trySetCount(1);
            var latch = b.latch(name).awaitAsync(longest);
            var barrier = b.barrier(name, 2).awaitAsync(longest);
            assertThat(List.of(semaphore, both, latch, barrier)).noneMatch(future -> future.isDone());

            permit.close();
            member.close();
            a.latch(name).countDown();
            a.barrier(name, 2).await();

            close(Await.get(semaphore));
            Await.get(both).orElseThrow().close();
            assertThat(Await.get(latch)).isTrue();
            assertThat(Await.get(barrier)).isBetween(0, 1);
            a.latch(name).delete();
        }
    }

    /** Characters that UTF-8 cannot encode may be shown otherwise; all others are shown as they were written. */
    @Test
    void lock_hostileReasonOrLabel_isShownAsItWasWritten() throws Exception {
        Client client = client();
        LockClient reader = client().queues();
        for (int i = 0; i < TEXTS.size(); i++) {
            String text = TEXTS.get(i);
            String shorter = text.substring(0, Math.min(text.length(), 1_000));
            LockOptions options = LockOptions.builder().reason(text).build();
            LockOptions labelled = LockOptions.builder().label("key", shorter).build();
            try (LockHandle ignored =
                            client.client().lock(name + "-r" + i, options).acquire();
                    LockHandle unused =
                            client.client().lock(name + "-l" + i, labelled).acquire()) {
                assertShown(only(reader, name + "-r" + i).reason(), text);
                assertShown(
                        String.valueOf(only(reader, name + "-l" + i).labels().get("key")), shorter);
            }
        }
    }

    @Test
    void breakLock_hostileReason_breaksAndRevocationIsTold() throws Exception {
        LockClient other = client().queues();
        Client client = watchfulClient();
        DistributedLock lock = client.lock(name);
        int losses = 0;
        for (String text : List.of("a\0b", "a\ud83db", "\u9501".repeat(1_024))) {
            lock.lock();
            assertThat(other.admin().requestRevocation(name, text)).isEqualTo(1);
            assertThat(other.admin().breakLock(name, text)).hasSize(1);
            client.events().await("lost " + name, ++losses);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        }
        assertComesFree(name);
    }

    private static Participant only(LockClient reader, String lock) {
        List<Participant> holders = reader.admin().inspect(lock).holders();
        assertThat(holders).hasSize(1);
        return holders.get(0);
    }

    private static void assertShown(String shown, String written) {
        boolean paired = written.codePoints().noneMatch(point -> Character.getType(point) == Character.SURROGATE);
        if (paired) {
            assertThat(shown).isEqualTo(written);
        } else {
            assertThat(shown).hasSameSizeAs(written);
        }
    }

    private static void close(Optional<? extends LockHandle> handle) {
        handle.orElseThrow().close();
    }

    /** A listener that does nothing. */
    private static final class Silent implements LeaderElection.Listener {

        @Override
        public void elected(long fencingToken) {
            // no candidate stands
        }

        @Override
        public void deposed(String reason) {
            // no candidate stands
        }
    }
}
