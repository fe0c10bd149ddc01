package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Conditions of a lock, across processes: the whole contract of {@link Condition}. */
abstract class ConditionContract extends ConditionKit {

    /** All kinds of waits that an interrupt ends, with longer timeouts than any test takes. */
    private static final List<Wait> WAITS = List.of(
            Condition::await,
            condition -> condition.await(1, TimeUnit.DAYS),
            condition -> condition.awaitNanos(TimeUnit.DAYS.toNanos(1)),
            condition -> condition.awaitUntil(tomorrow()));

    /** Waits whose timeout is over before any store can answer. */
    private static final List<Wait> SHORT_WAITS = List.of(
            condition -> condition.await(0, TimeUnit.SECONDS),
            condition -> condition.await(-1, TimeUnit.DAYS),
            condition -> condition.awaitNanos(1),
            condition -> condition.await(20, TimeUnit.MICROSECONDS),
            condition -> condition.awaitUntil(new Date(0)));

    private static Date tomorrow() {
        return Date.from(Instant.now().plusSeconds(86_400));
    }

    @Test
    void await_signalledByAnyClient_returnsWithTheLock() throws Exception {
        Client a = client();
        Client b = client();
        for (Client signaller : List.of(a, b)) {
            for (Wait wait : WAITS) {
                Sleeper sleeper = sleep(a, condition -> {
                    wait.on(condition);
                    assertThat(a.lock(name).getHoldCount()).isEqualTo(1);
                    assertThat(b.lock(name).tryLock()).isFalse();
                });

                signal(signaller);

                sleeper.awaitAwake();
            }
        }
        assertComesFree(name);
    }

    @Test
    void signal_manyWait_oneAtATimeInTheOrderOfWaiting() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        List<Sleeper> sleepers = List.of(sleep(a, "1"), sleep(b, "2"), sleep(a, "3"), sleep(c, "4"), sleep(b, "5"));
        for (int i = 0; i < sleepers.size(); i++) {
            for (Sleeper later : sleepers.subList(i, sleepers.size())) {
                assertThat(later.isAwake()).isFalse();
            }

            signal(i % 2 == 0 ? b : c);

            sleepers.get(i).awaitAwake();
        }
        assertThat(woken).containsExactly("1", "2", "3", "4", "5");
        assertComesFree(name);
    }

    @Test
    void signal_twiceInOneSection_wakesTwo() throws Exception {
        Client a = client();
        Client b = client();
        Sleeper first = sleep(a, "1");
        Sleeper second = sleep(b, "2");
        Sleeper third = sleep(a, "3");

        locked(b, () -> {
            condition(b).signal();
            condition(b).signal();
        });

        first.awaitAwake();
        second.awaitAwake();
        assertThat(third.isAwake()).isFalse();
        signal(a);
        third.awaitAwake();
        assertThat(woken).containsExactlyInAnyOrder("1", "2", "3").last().isEqualTo("3");
    }

    @Test
    void signalAll_manyWait_allWakeOneAtATime() throws Exception {
        Client a = client();
        Client b = client();
        AtomicInteger inside = new AtomicInteger();
        List<Sleeper> sleepers = new ArrayList<>();
        for (Client client : List.of(a, b, client(), a, b)) {
            sleepers.add(sleep(client, condition -> {
                condition.await();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                Thread.yield();
                inside.decrementAndGet();
            }));
        }

        signalAll(b);

        sleepers.forEach(Sleeper::awaitAwake);
        assertComesFree(name);
    }

    @Test
    void signal_nobodyWaits_isNotRemembered() throws Exception {
        Client a = client();
        Client b = client();
        locked(b, () -> {
            condition(b).signal();
            condition(b).signalAll();
        });

        locked(
                a,
                () -> assertThat(condition(a).await(30, TimeUnit.MILLISECONDS)).isFalse());
        Sleeper sleeper = sleep(a, "a");
        signal(b);

        sleeper.awaitAwake();
        assertThat(woken).containsExactly("a");
    }

    @Test
    void signal_lockNotYetReleased_waiterComesAfterwards() throws Exception {
        Client a = client();
        Client b = client();
        AtomicBoolean released = new AtomicBoolean();
        Sleeper sleeper = sleep(a, condition -> {
            condition.await();
            assertThat(released).isTrue();
        });

        locked(b, () -> {
            condition(b).signal();
            assertThat(sleeper.isAwake()).isFalse();
            released.set(true);
        });

        sleeper.awaitAwake();
    }

    @Test
    void await_nestedHolds_areAllReleasedAndRestored() throws Exception {
        Client a = client();
        Client b = client();
        DistributedLock lock = a.lock(name);
        Sleeper sleeper = sleep(a, condition -> {
            lock.lock();
            lock.lock();
            long before = lock.fencingToken();
            condition.await();
            assertThat(lock.getHoldCount()).isEqualTo(3);
            assertThat(lock.fencingToken()).isGreaterThan(before);
            lock.unlock();
            lock.unlock();
            lock.checkHeld();
        });

        signal(b);

        sleeper.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void await_timePasses_saysSoNotBeforeAndHoldsTheLock() throws Exception {
        Client a = client();
        DistributedLock lock = a.lock(name);
        locked(a, () -> {
            Condition condition = condition(a);
            long start = System.nanoTime();
            assertThat(condition.await(20, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            start = System.nanoTime();
            assertThat(condition.awaitNanos(TimeUnit.MILLISECONDS.toNanos(20))).isNotPositive();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            Instant deadline = Instant.now().plusMillis(20);
            assertThat(condition.awaitUntil(Date.from(deadline))).isFalse();
            assertThat(Instant.now().toEpochMilli()).isGreaterThanOrEqualTo(deadline.toEpochMilli());
            assertThat(lock.getHoldCount()).isEqualTo(1);
        });
        assertComesFree(name);
    }

    @Test
    void await_noTimeToWait_saysSoAndHoldsTheLock() throws Exception {
        Client a = client();
        locked(a, () -> {
            Condition condition = condition(a);
            for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThat(condition.await(none, TimeUnit.SECONDS)).isFalse();
                assertThat(condition.awaitNanos(none)).isNotPositive();
            }
            for (long past : new long[] {0, Long.MIN_VALUE}) {
                assertThat(condition.awaitUntil(new Date(past))).isFalse();
            }
            assertThat(a.lock(name).getHoldCount()).isEqualTo(1);
        });
        assertComesFree(name);
    }

    /** Even a very short wait releases the lock and acquires it again, and a queued waiter gets the lock meanwhile. */
    @Test
    void await_hardlyAnyTimeAgainAndAgain_othersGetIn() throws Exception {
        Client other = client();
        for (LockOptions options : List.of(
                LockOptions.defaults(),
                LockOptions.builder().retain(true).build(),
                LockOptions.builder().handOvers(0).build())) {
            Client a = client(options);
            for (Client visitor : List.of(a, other)) {
                for (Wait wait : SHORT_WAITS) {
                    AtomicBoolean ready = new AtomicBoolean();
                    Sleeper sleeper = sleep(a, condition -> {
                        a.lock(name).lock();
                        while (!ready.get()) {
                            wait.on(condition);
                        }
                        assertThat(a.lock(name).getHoldCount()).isEqualTo(2);
                        a.lock(name).unlock();
                    });

                    locked(visitor, () -> ready.set(true));

                    sleeper.awaitAwake();
                }
            }
        }
        assertComesFree(name);
    }

    @Test
    void await_hardlyAnyTime_hasAnotherTokenAfterwards() throws Exception {
        Client a = client();
        DistributedLock lock = a.lock(name);
        for (Wait wait : SHORT_WAITS) {
            locked(a, () -> {
                long before = lock.fencingToken();
                wait.on(condition(a));
                assertThat(lock.fencingToken()).isGreaterThan(before);
            });
        }
        assertComesFree(name);
    }

    /** Many waits that are over at once leave nothing behind that would delay the next client. */
    @Test
    void await_noTimeVeryOften_isNoBurden() throws Exception {
        Client a = client();
        locked(a, () -> {
            Condition condition = condition(a);
            for (int i = 0; i < 300; i++) {
                assertThat(condition.await(0, TimeUnit.SECONDS)).isFalse();
            }
            a.lock(name).checkHeld();
        });
        assertComesFree(name);
    }

    @Test
    void await_signalledInTime_saysSo() throws Exception {
        Client a = client();
        Client b = client();
        long day = TimeUnit.DAYS.toNanos(1);
        List<Wait> waits = List.of(
                condition -> assertThat(condition.await(Long.MAX_VALUE, TimeUnit.DAYS))
                        .isTrue(),
                condition -> assertThat(condition.awaitNanos(day)).isPositive().isLessThanOrEqualTo(day),
                condition -> assertThat(condition.awaitNanos(Long.MAX_VALUE)).isGreaterThan(day),
                condition -> assertThat(condition.awaitUntil(new Date(Long.MAX_VALUE)))
                        .isTrue(),
                condition -> assertThat(condition.awaitUntil(tomorrow())).isTrue());
        for (Wait wait : waits) {
            Sleeper sleeper = sleep(a, wait);
            signal(b);
            sleeper.awaitAwake();
        }
    }

    @Test
    void await_interruptedBefore_throwsAtOnceWithTheLock() throws Exception {
        Client a = client();
        DistributedLock lock = a.lock(name);
        for (Wait wait : WAITS) {
            locked(a, () -> {
                lock.lock();
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> wait.on(condition(a))).isInstanceOf(InterruptedException.class);
                assertThat(Thread.interrupted()).isFalse();
                assertThat(lock.getHoldCount()).isEqualTo(2);
                lock.unlock();
            });
        }
        assertComesFree(name);
    }

    @Test
    void await_interruptedWhileWaiting_throwsOnceItHasTheLockAgain() throws Exception {
        Client a = client();
        Client b = client();
        DistributedLock lock = a.lock(name);
        for (Wait wait : WAITS) {
            AtomicBoolean released = new AtomicBoolean();
            Sleeper sleeper = sleep(a, condition -> {
                lock.lock();
                assertThatThrownBy(() -> wait.on(condition)).isInstanceOf(InterruptedException.class);
                assertThat(released).isTrue();
                assertThat(lock.getHoldCount()).isEqualTo(2);
                assertThat(Thread.interrupted()).isFalse();
                lock.unlock();
            });
            locked(b, () -> {
                sleeper.actor().interrupt();
                assertThat(sleeper.isAwake()).isFalse();
                released.set(true);
            });

            sleeper.awaitAwake();
        }
        assertComesFree(name);
    }

    @Test
    void awaitUninterruptibly_interrupted_waitsOnAndKeepsTheFlag() throws Exception {
        Client a = client();
        Client b = client();
        for (boolean before : List.of(true, false)) {
            AtomicBoolean signalled = new AtomicBoolean();
            Sleeper sleeper = sleep(a, condition -> {
                if (before) {
                    Thread.currentThread().interrupt();
                }
                condition.awaitUninterruptibly();
                assertThat(signalled).isTrue();
                assertThat(a.lock(name).getHoldCount()).isEqualTo(1);
                assertThat(Thread.interrupted()).isTrue();
            });
            sleeper.actor().interrupt();
            locked(b, () -> assertThat(sleeper.isAwake()).isFalse());

            locked(b, () -> {
                signalled.set(true);
                condition(b).signal();
            });

            sleeper.awaitAwake();
        }
    }

    @Test
    void anyMethod_lockNotHeldByThisThread_isRefused() throws Exception {
        Client a = client();
        Condition condition = condition(a);
        assertAllRefused(condition);
        Actor holder = holder(client(), name);
        assertAllRefused(condition);
        holder.close();
        Client c = client();
        String other = name + "-other";
        Condition ofTheOther = c.lock(other).newCondition(CONDITION);
        Actor sameClient = holder(c, other);
        assertAllRefused(ofTheOther);
        release(sameClient, c, other);
        try (LockHandle handle = c.lock(other).acquire()) {
            assertAllRefused(ofTheOther);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    private static void assertAllRefused(Condition condition) {
        List<Wait> calls = new ArrayList<>(WAITS);
        calls.add(Condition::awaitUninterruptibly);
        calls.add(c -> c.await(0, TimeUnit.SECONDS));
        calls.add(Condition::signal);
        calls.add(Condition::signalAll);
        for (Wait call : calls) {
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                    .isThrownBy(() -> call.on(condition))
                    .isNotInstanceOf(LockLostException.class);
        }
    }
}
