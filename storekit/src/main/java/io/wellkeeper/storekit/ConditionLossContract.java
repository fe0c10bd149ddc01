package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Conditions: a signal is never lost with its waiter, and a wait survives the end of the session in which it began. */
abstract class ConditionLossContract extends ConditionKit {

    private static final int ROUNDS = 15;

    /** How a wait ended that could end in two ways at the same moment. */
    private enum End {
        SIGNALLED,
        GAVE_UP
    }

    /** A waiter that may be signalled or give up; which of the two is known when it is awake. */
    private final class Undecided {

        private volatile End end = End.SIGNALLED;
        private final Sleeper sleeper;

        Undecided(Client client, Wait wait) {
            sleeper = sleep(client, condition -> {
                try {
                    wait.on(condition);
                } catch (InterruptedException | TimeUp gaveUp) {
                    end = End.GAVE_UP;
                }
                client.lock(name).checkHeld();
            });
        }

        End end() {
            sleeper.awaitAwake();
            return end;
        }
    }

    private static final class TimeUp extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /**
     * One signal was given. If the first waiter gave up, the signal wakes the second; else the second needs another
     * signal.
     */
    private void assertOneSignalWasUsed(Undecided first, Sleeper second, Client signaller) {
        if (first.end() == End.SIGNALLED) {
            signal(signaller);
        }
        second.awaitAwake();
    }

    @Test
    void signal_waiterIsInterruptedBeforeItHasTheLock_nextIsWokenInstead() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        for (int i = 0; i < ROUNDS; i++) {
            Undecided first = new Undecided(a, Condition::await);
            Sleeper second = sleep(b, "second");

            locked(c, () -> {
                condition(c).signal();
                first.sleeper.actor().interrupt();
            });

            assertOneSignalWasUsed(first, second, c);
            first.sleeper.actor().run(Thread::interrupted);
        }
        assertComesFree(name);
    }

    @Test
    void signal_waiterIsInterruptedAtTheSameTime_nextIsWokenIfItGaveUp() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Actor interrupter = actor();
        for (int i = 0; i < ROUNDS; i++) {
            Undecided first = new Undecided(a, Condition::await);
            Sleeper second = sleep(b, "second");

            Future<?> interrupting = interrupter.begin(first.sleeper.actor()::interrupt);
            signal(c);

            Await.result(interrupting);
            assertOneSignalWasUsed(first, second, c);
        }
        assertComesFree(name);
    }

    @Test
    void signal_waitersTimePassesAtTheSameTime_nextIsWokenIfItGaveUp() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        for (int i = 0; i < ROUNDS; i++) {
            long nanos =
                    TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(10_000));
            Undecided first = new Undecided(a, condition -> {
                if (!condition.await(nanos, TimeUnit.NANOSECONDS)) {
                    throw new TimeUp();
                }
            });
            Sleeper second = sleep(b, "second");

            signal(c);

            assertOneSignalWasUsed(first, second, c);
        }
        assertComesFree(name);
    }

    @Test
    void signal_waitersTimePassesBeforeItHasTheLock_nextIsWokenIfItGaveUp() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        long nanos = TimeUnit.MILLISECONDS.toNanos(300);
        Undecided first = new Undecided(a, condition -> {
            if (!condition.await(nanos, TimeUnit.NANOSECONDS)) {
                throw new TimeUp();
            }
        });
        long begun = System.nanoTime();
        Sleeper second = sleep(b, "second");

        locked(c, () -> {
            condition(c).signal();
            Await.until("its time to be over", () -> System.nanoTime() - begun > nanos);
        });

        assertOneSignalWasUsed(first, second, c);
        assertComesFree(name);
    }

    @Test
    void signal_waiterLosesItsSessionBeforeItHasTheLock_nextIsWokenToo() throws Exception {
        Client loser = client();
        Client b = client();
        Client c = client();
        Sleeper first = sleep(loser, "first");
        Sleeper second = sleep(b, "second");

        locked(c, () -> {
            condition(c).signal();
            fixture.lose(loser.client());
        });

        second.awaitAwake();
        first.awaitAwake();
        assertComesFree(name);
    }

    /** The signal of the first waiter is passed on once, and the third waiter still gets its own signal. */
    @Test
    void signal_waiterLosesItsSessionAndAnotherSignalFollows_bothCount() throws Exception {
        Client loser = client();
        Client b = client();
        Client c = client();
        Client d = client();
        Sleeper first = sleep(loser, "first");
        Sleeper second = sleep(b, "second");
        Sleeper third = sleep(c, "third");
        int comingBack = loser.events().count("contended " + name);
        int passedOn = b.events().count("contended " + name);
        locked(d, () -> {}); // so no waiter still has to give the lock back
        fixture.cut(c.client()); // it learns everything at the end, and not step by step

        locked(d, () -> {
            condition(d).signal();
            loser.events().await("contended " + name, comingBack + 1);
            fixture.lose(loser.client());
            b.events().await("contended " + name, passedOn + 1);
            condition(d).signal();
        });

        first.awaitAwake();
        second.awaitAwake();
        fixture.mend(c.client());
        third.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void signal_waiterIsCutOffBeforeItHasTheLock_nextIsWokenInstead() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        Client c = client();
        Sleeper first = sleep(loser, "first");
        Sleeper second = sleep(b, "second");

        locked(c, () -> {
            condition(c).signal();
            fixture.cut(loser.client());
        });

        second.awaitAwake();
        fixture.mend(loser.client());
        first.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void signal_waiterWasCutOffLongBefore_nextIsWokenInstead() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        Client c = client();
        Sleeper first = sleep(loser, "first");
        Sleeper second = sleep(b, "second");
        fixture.cut(loser.client());

        signal(c);

        second.awaitAwake();
        fixture.mend(loser.client());
        first.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void signal_waitersClientClosesBeforeItHasTheLock_nextIsWokenInstead() throws Exception {
        Client closing = client();
        Client b = client();
        Client c = client();
        Sleeper first = sleep(closing, Condition::await);
        Sleeper second = sleep(b, "second");

        locked(c, () -> {
            condition(c).signal();
            closing.client().close();
        });

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(first::awaitAwake);
        second.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void signal_signallerDiesWithTheLock_waiterIsWokenAllTheSame() throws Exception {
        Client a = client();
        Client dying = mortalClient();
        Sleeper sleeper = sleep(a, "a");
        Actor signaller = holder(dying, name);
        signaller.run(condition(dying)::signal);

        fixture.cut(dying.client());

        sleeper.awaitAwake();
        fixture.mend(dying.client());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> signaller.run(dying.lock(name)::unlock));
    }

    @Test
    void await_clientCloses_fails() throws Exception {
        Client closing = client();
        Client b = client();
        Sleeper sleeper = sleep(closing, Condition::awaitUninterruptibly);
        Sleeper other = sleep(b, "b");

        closing.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(sleeper::awaitAwake);
        assertThat(other.isAwake()).isFalse();
        signal(client());
        other.awaitAwake();
    }

    @Test
    void await_sessionIsLost_stillHearsOfWhatItWaitsFor() throws Exception {
        Client loser = client();
        Client b = client();
        AtomicBoolean ready = new AtomicBoolean();
        Sleeper sleeper = sleep(loser, condition -> {
            while (!ready.get()) {
                condition.await();
            }
            loser.lock(name).checkHeld();
        });

        fixture.lose(loser.client());
        locked(b, () -> {
            ready.set(true);
            condition(b).signalAll();
        });

        sleeper.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void await_cutOffForLong_stillHearsOfWhatItWaitsFor() throws Exception {
        Client loser = mortalClient();
        Client b = client();
        AtomicBoolean ready = new AtomicBoolean();
        Sleeper sleeper = sleep(loser, condition -> {
            while (!ready.get()) {
                condition.await();
            }
        });
        fixture.cut(loser.client());

        locked(b, () -> {
            ready.set(true);
            condition(b).signalAll();
        });
        fixture.mend(loser.client());

        sleeper.awaitAwake();
        assertComesFree(name);
    }

    @Test
    void anyMethod_lockIsLost_saysSo() throws Exception {
        Client loser = client();
        DistributedLock lock = loser.lock(name);
        Condition condition = condition(loser);
        lock.lock();
        fixture.lose(loser.client());
        Await.until("loss of the lock", () -> !lock.isHeldByCurrentThread());

        for (Wait call : List.<Wait>of(
                Condition::await, c -> c.await(1, TimeUnit.DAYS), Condition::signal, Condition::signalAll)) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> call.on(condition));
        }
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertComesFree(name);
    }
}
