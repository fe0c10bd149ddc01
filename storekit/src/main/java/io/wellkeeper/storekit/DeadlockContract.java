package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Deadlock;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.Permits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * {@link io.wellkeeper.LockAdmin#deadlocks}: circles of threads in all processes that wait for each other. Threads that
 * have waited for less than a heartbeat may be missing, so the clients here have frequent heartbeats.
 */
abstract class DeadlockContract extends LockKit {

    private final String x = name + "/x";
    private final String y = name + "/y";
    private final String z = name + "/z";

    private final List<Stuck> stuck = new ArrayList<>();

    /** A thread that has one lock and waits for another. */
    private record Stuck(Actor actor, DistributedLock has, DistributedLock wants) {

        /** Releases its locks. It may also have got the lock that it waited for, if another thread has given up. */
        void leave() {
            Thread.interrupted();
            if (wants.isHeldByCurrentThread()) {
                wants.unlock();
            }
            has.unlock();
        }
    }

    private Actor holding(String thread, DistributedLock lock) {
        Actor actor = actor(thread);
        actor.run(lock::lock);
        return actor;
    }

    private void waitFor(Client client, Actor actor, DistributedLock has, DistributedLock wanted) {
        client.queueUp(actor, wanted.name(), wanted::lockInterruptibly);
        stuck.add(new Stuck(actor, has, wanted));
    }

    private void giveUp() {
        stuck.forEach(one -> one.actor().interrupt());
        stuck.forEach(one -> one.actor().run(one::leave));
    }

    /** A client that looks for deadlocks; its session timeout says for how long it observes a possible circle. */
    private LockClient onlooker() throws Exception {
        return watchfulClient("onlooker").queues();
    }

    private static Deadlock awaitOne(LockClient onlooker) {
        List<Deadlock> found = new ArrayList<>();
        Await.until("one deadlock found", () -> {
            found.clear();
            found.addAll(onlooker.admin().deadlocks());
            return found.size() == 1;
        });
        return found.get(0);
    }

    /**
     * The threads of a circle, such as {@code a/main: x -> y}: the thread main of the client a has x, for which the
     * thread before it waits, and waits for y itself.
     */
    private List<String> circle(Deadlock deadlock) {
        return deadlock.circle().stream()
                .map(waiting -> waiting.who().clientName() + "/" + waiting.who().thread() + ": " + last(waiting.holds())
                        + " -> " + last(waiting.wants()))
                .toList();
    }

    private String last(String lock) {
        return lock.startsWith(name + "/") ? lock.substring(name.length() + 1) : lock;
    }

    private static void assertIsACircle(Deadlock deadlock) {
        List<Deadlock.Waiting> circle = deadlock.circle();
        for (int i = 0; i < circle.size(); i++) {
            assertThat(circle.get(i).wants())
                    .isEqualTo(circle.get((i + 1) % circle.size()).holds());
        }
    }

    @Test
    void deadlocks_nobodyWaits_areNone() throws Exception {
        Client a = client();
        assertThat(a.queues().admin().deadlocks()).isEmpty();
        a.lock(x).lock();
        a.lock(y).lock();

        assertThat(client().queues().admin().deadlocks()).isEmpty();

        a.lock(y).unlock();
        a.lock(x).unlock();
    }

    @Test
    void deadlocks_twoClientsCrosswise_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        crosswise(a, b, x, y);

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        giveUp();
    }

    /** A thread of each client has one of two locks, and waits for the other. */
    private void crosswise(Client a, Client b, String first, String second) {
        Actor one = holding("one", a.lock(first));
        Actor two = holding("two", b.lock(second));
        waitFor(a, one, a.lock(first), a.lock(second));
        waitFor(b, two, b.lock(second), b.lock(first));
    }

    @Test
    void deadlocks_threeClientsInACircle_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Client c = watchfulClient("c");
        Actor one = holding("one", a.lock(x));
        Actor two = holding("two", b.lock(y));
        Actor three = holding("three", c.lock(z));
        waitFor(a, one, a.lock(x), a.lock(y));
        waitFor(b, two, b.lock(y), b.lock(z));
        waitFor(c, three, c.lock(z), c.lock(x));

        Deadlock found = awaitOne(a.queues());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> z", "c/three: z -> x");
        giveUp();
    }

    @Test
    void deadlocks_twoThreadsOfOneClient_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        crosswise(a, a, x, y);

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "a/two: y -> x");
        giveUp();
    }

    @Test
    void deadlocks_twoApart_areTwoCircles() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        crosswise(a, b, x, y);
        crosswise(b, a, z, z + z);
        LockClient onlooker = onlooker();

        Await.until("two deadlocks found", () -> onlooker.admin().deadlocks().size() == 2);

        onlooker.admin().deadlocks().forEach(DeadlockContract::assertIsACircle);
        giveUp();
    }

    /** The threads in the line have waited for longer than those in the circle, and only the circle is found. */
    @Test
    void deadlocks_threadsWaitInALine_areNone() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Client c = watchfulClient("c");
        Actor first = holding("first", a.lock(z + "/1"));
        Actor second = holding("second", b.lock(z + "/2"));
        waitFor(b, second, b.lock(z + "/2"), b.lock(z + "/1"));
        Actor third = holding("third", c.lock(z + "/3"));
        waitFor(c, third, c.lock(z + "/3"), c.lock(z + "/2"));
        crosswise(a, b, x, y);

        Deadlock found = awaitOne(onlooker());

        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        giveUp();
        first.run(a.lock(z + "/1")::unlock);
    }

    @Test
    void deadlocks_oneGivesUp_areNoMore() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        LockClient onlooker = onlooker();
        crosswise(a, b, x, y);
        awaitOne(onlooker);

        giveUp();

        Await.until("no deadlock", () -> onlooker.admin().deadlocks().isEmpty());
    }

    @Test
    void deadlocks_lockWasHandedOver_nameTheThreadThatHasIt() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Actor former = holding("former", a.lock(x));
        Actor current = actor("current");
        Future<?> handedOver = a.queueUp(current, x);
        former.run(a.lock(x)::unlock);
        Await.result(handedOver);
        a.events().await("handedOver " + x, 1);
        Actor two = holding("two", b.lock(y));
        waitFor(a, current, a.lock(x), a.lock(y));
        waitFor(b, two, b.lock(y), b.lock(x));

        LockClient onlooker = onlooker();
        Await.until(
                "the deadlock of those who are in it now",
                () -> onlooker.admin().deadlocks().stream()
                        .anyMatch(found -> circle(found).contains("a/current: x -> y")));

        Deadlock found = awaitOne(onlooker);
        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/current: x -> y", "b/two: y -> x");
        giveUp();
    }

    @Test
    void deadlocks_waiterBehindALocalOne_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Actor one = holding("one", a.lock(x));
        Actor other = actor("other");
        Future<?> local = a.queueUp(other, x);
        Actor two = holding("two", b.lock(y));
        waitFor(b, two, b.lock(y), b.lock(x));
        waitFor(a, one, a.lock(x), a.lock(y));

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        giveUp();
        Await.result(local);
        other.run(a.lock(x)::unlock);
    }

    @Test
    void deadlocks_readersAndWriters_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Client c = watchfulClient("c");
        DistributedReadWriteLock ofA = a.queues().readWriteLock(x);
        DistributedReadWriteLock ofB = b.queues().readWriteLock(x);
        Actor one = holding("one", ofA.readLock());
        Visitor bystander = enter(c.queues().readWriteLock(x).readLock());
        Actor two = holding("two", b.lock(y));
        waitFor(a, one, ofA.readLock(), a.lock(y));
        waitFor(b, two, b.lock(y), ofB.writeLock());

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        giveUp();
        bystander.leave();
    }

    /** A reader that waits only because of a waiting writer ahead of it waits for that writer. */
    @Test
    void deadlocks_readerBehindAWaitingWriter_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Client c = watchfulClient("c");
        DistributedReadWriteLock ofA = a.queues().readWriteLock(x);
        Actor one = holding("one", ofA.readLock());
        Actor writer = holding("writer", c.lock(z));
        waitFor(c, writer, c.lock(z), c.queues().readWriteLock(x).writeLock());
        Actor two = holding("two", b.lock(y));
        waitFor(b, two, b.lock(y), b.queues().readWriteLock(x).readLock());
        waitFor(a, one, ofA.readLock(), a.lock(y));

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(found.circle())
                .extracting(waiting -> waiting.who().thread())
                .containsExactlyInAnyOrder("one", "writer", "two");
        giveUp();
    }

    @Test
    void deadlocks_multiLockThatHasSomeOfItsMembers_areOneCircle() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        Actor two = holding("two", b.lock(y));
        Actor one = actor("one");
        DistributedMultiLock both = a.queues().all(x, y);
        Future<?> waiting = a.queueUp(one, y, both::lockInterruptibly);
        waitFor(b, two, b.lock(y), b.lock(x));

        Deadlock found = awaitOne(onlooker());

        assertIsACircle(found);
        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        one.interrupt();
        assertInterrupted(waiting);
        giveUp();
    }

    @Test
    void deadlocks_semaphores_doNotCount() throws Exception {
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        DistributedSemaphore ofB = b.queues().semaphore(z, 1);
        Actor holder = actor("holder");
        Permits ofA = a.queues().semaphore(z, 1).acquire();
        Actor locker = holding("locker", b.lock(z + "/lock"));
        Future<?> wantsPermit = b.queueUp(locker, z, ofB::acquire);
        Future<?> wantsLock = a.queueUp(holder, z + "/lock", a.lock(z + "/lock")::lockInterruptibly);
        crosswise(a, b, x, y);

        Deadlock found = awaitOne(onlooker());

        assertThat(circle(found)).containsExactlyInAnyOrder("a/one: x -> y", "b/two: y -> x");
        giveUp();
        locker.interrupt();
        assertInterrupted(wantsPermit);
        locker.run(b.lock(z + "/lock")::unlock);
        Await.result(wantsLock);
        holder.run(a.lock(z + "/lock")::unlock);
        ofA.close();
    }
}
