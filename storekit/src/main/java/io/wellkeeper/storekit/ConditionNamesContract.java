package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Which condition objects are the same condition, and a use of them: a buffer that two processes share. */
abstract class ConditionNamesContract extends ConditionKit {

    private static final int ITEMS = 25;

    @Test
    void newCondition_nthOfAnyObject_isTheSameInEveryClient() throws Exception {
        Client a = client();
        Client b = client();
        a.queues();
        DistributedLock ofA = a.lock(name);
        Condition firstOfA = ofA.newCondition();
        Condition secondOfA = ofA.newCondition();
        DistributedLock ofB = b.lock(name);
        Condition firstOfB = ofB.newCondition();
        Condition secondOfB = ofB.newCondition();
        DistributedLock again = b.lock(name);
        Condition firstAgain = again.newCondition();

        assertAreTheSame(a, firstOfA, b, firstOfB, secondOfB);
        assertAreTheSame(a, secondOfA, b, secondOfB, firstOfB);
        assertAreTheSame(b, firstOfB, b, firstAgain, secondOfB);
        assertAreTheSame(b, firstAgain, a, firstOfA, secondOfA);
    }

    /** A waiter is woken by a signal to the same condition, and not by a signal to another one. */
    private void assertAreTheSame(
            Client waiting, Condition waitedFor, Client signalling, Condition same, Condition other) {
        AtomicBoolean meant = new AtomicBoolean();
        Sleeper sleeper = sleep(waiting, waiting.lock(name), waitedFor, condition -> {
            condition.await();
            assertThat(meant).isTrue();
        });
        locked(signalling, other::signalAll);
        locked(signalling, () -> assertThat(sleeper.isAwake()).isFalse());

        locked(signalling, () -> {
            meant.set(true);
            same.signal();
        });

        sleeper.awaitAwake();
    }

    @Test
    void newCondition_byName_isTheSameInEveryClient() throws Exception {
        Client a = client();
        Client b = client();
        a.queues();
        String longest = "x".repeat(32);
        List<String> names = List.of("a", "A", "a-b_c.9", "-", "0", longest);
        for (int i = 0; i < names.size(); i++) {
            String other = names.get((i + 1) % names.size());
            assertAreTheSame(
                    a,
                    a.lock(name).newCondition(names.get(i)),
                    b,
                    b.lock(name).newCondition(names.get(i)),
                    b.lock(name).newCondition(other));
        }
    }

    @Test
    void newCondition_badName_isRefused() throws Exception {
        Client client = client();
        client.queues();
        DistributedLock lock = client.lock(name);
        for (String bad : List.of("", "a b", "a/b", "a:b", "a\0b", "a\nb", "\ud83d\udd12", "x".repeat(33))) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> lock.newCondition(bad));
        }
    }

    @Test
    void newCondition_sameNameOfAnotherLock_isAnother() throws Exception {
        Client a = client();
        Client b = client();
        String other = name + "-other";
        AtomicBoolean meant = new AtomicBoolean();
        Sleeper sleeper = sleep(a, condition -> {
            condition.await();
            assertThat(meant).isTrue();
        });
        Actor elsewhere = holder(b, other);
        elsewhere.run(b.lock(other).newCondition(CONDITION)::signalAll);
        release(elsewhere, b, other);
        locked(b, () -> assertThat(sleeper.isAwake()).isFalse());

        locked(b, () -> {
            meant.set(true);
            condition(b).signal();
        });

        sleeper.awaitAwake();
    }

    @Test
    void newCondition_ofTheWriteLock_isACondition() throws Exception {
        Client a = client();
        Client b = client();
        DistributedLock ofA = a.queues().readWriteLock(name).writeLock();
        DistributedLock ofB = b.queues().readWriteLock(name).writeLock();
        Sleeper sleeper = sleep(a, ofA, ofA.newCondition(CONDITION), condition -> {
            condition.await();
            assertThat(ofA.getHoldCount()).isEqualTo(1);
            woken.add("a");
        });
        Visitor reader = enter(b.queues().readWriteLock(name).readLock());
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> reader.actor().run(ofB.newCondition(CONDITION)::signal));
        reader.leave();

        Visitor writer = enter(ofB);
        writer.actor().run(ofB.newCondition(CONDITION)::signal);
        writer.leave();

        sleeper.awaitAwake();
        assertThat(woken).containsExactly("a");
    }

    @Test
    void await_others_seeNoOtherLock() throws Exception {
        Client a = client();
        Client b = client();
        Sleeper sleeper = sleep(a, "a");

        assertThat(b.queues().admin().names(name)).isSubsetOf(name);

        signal(b);
        sleeper.awaitAwake();
    }

    @Test
    void boundedBuffer_ofTwoProcesses_losesNothing() throws Exception {
        Deque<Integer> contents = new ArrayDeque<>();
        Queue<Integer> taken = new ConcurrentLinkedQueue<>();
        List<Future<?>> running = new ArrayList<>();
        int number = 0;
        for (Client client : List.of(client(), client())) {
            client.queues();
            BoundedBuffer buffer = new BoundedBuffer(contents, 2, client.lock(name));
            for (int thread = 0; thread < 2; thread++) {
                running.add(produce(buffer, number++ * ITEMS));
                running.add(actor().begin(() -> {
                    for (int i = 0; i < ITEMS; i++) {
                        taken.add(buffer.take());
                    }
                }));
            }
        }
        running.forEach(Await::result);

        assertThat(taken).hasSize(4 * ITEMS).doesNotHaveDuplicates();
        assertThat(contents).isEmpty();
        assertComesFree(name);
    }

    private Future<?> produce(BoundedBuffer buffer, int first) {
        return actor().begin(() -> {
            for (int i = 0; i < ITEMS; i++) {
                buffer.put(first + i);
            }
        });
    }

    /**
     * Some consumers give up again and again, by timeouts or interrupts. Their signals must reach the one that stays.
     */
    @Test
    void boundedBuffer_impatientConsumers_losesNothing() throws Exception {
        Deque<Integer> contents = new ArrayDeque<>();
        Queue<Integer> taken = new ConcurrentLinkedQueue<>();
        List<Future<?>> producers = new ArrayList<>();
        List<Future<?>> impatient = new ArrayList<>();
        List<Actor> interrupted = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        int number = 0;
        for (Client client : List.of(client(), client())) {
            client.queues();
            BoundedBuffer buffer = new BoundedBuffer(contents, 2, client.lock(name));
            producers.add(produce(buffer, number++ * ITEMS));
            for (int thread = 0; thread < 2; thread++) {
                Actor actor = actor();
                interrupted.add(actor);
                impatient.add(actor.begin(() -> {
                    while (!over.get()) {
                        pollBriefly(buffer, taken);
                    }
                }));
            }
        }
        Client steady = client();
        BoundedBuffer buffer = new BoundedBuffer(contents, 2, steady.lock(name));
        Actor patient = actor();
        Future<?> taking = patient.begin(() -> {
            while (true) {
                taken.add(buffer.take());
            }
        });

        Await.until("everything produced and consumed", () -> {
            interrupted
                    .get(ThreadLocalRandom.current().nextInt(interrupted.size()))
                    .interrupt();
            return taken.size() == 2 * ITEMS && producers.stream().allMatch(Future::isDone);
        });
        over.set(true);
        producers.forEach(Await::result);
        impatient.forEach(Await::result);
        patient.interrupt();

        assertInterrupted(taking);
        assertThat(taken).hasSize(2 * ITEMS).doesNotHaveDuplicates();
        assertComesFree(name);
    }

    private static void pollBriefly(BoundedBuffer buffer, Queue<Integer> taken) {
        try {
            buffer.poll(TimeUnit.MICROSECONDS.toNanos(
                            ThreadLocalRandom.current().nextInt(5000)))
                    .ifPresent(taken::add);
        } catch (InterruptedException expected) {
            return;
        }
    }
}
