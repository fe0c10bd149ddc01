package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockLostException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** Threads that wait on a condition of the test's lock, and a record of those that were woken. */
abstract class ConditionKit extends LockKit {

    static final String CONDITION = "ready";

    /** The labels of the waiters whose wait has ended normally, in the order in which they got the lock again. */
    final List<String> woken = new CopyOnWriteArrayList<>();

    /** How a thread that holds the lock waits on a condition. */
    interface Wait {
        void on(Condition condition) throws Exception;
    }

    Condition condition(Client client) {
        client.queues();
        return client.lock(name).newCondition(CONDITION);
    }

    /**
     * A thread that waits on the condition when this returns. After the wait it notes its label and releases the lock.
     */
    Sleeper sleep(Client client, String label) {
        return sleep(client, condition -> {
            condition.await();
            woken.add(label);
        });
    }

    /** A thread that has acquired the lock, and waits on the condition when this returns. After the wait it unlocks. */
    Sleeper sleep(Client client, Wait wait) {
        return sleep(client, client.lock(name), condition(client), wait);
    }

    Sleeper sleep(Client client, DistributedLock lock, Condition condition, Wait wait) {
        AtomicBoolean about = new AtomicBoolean();
        Actor actor = actor();
        Future<@Nullable Void> done = actor.begin(() -> {
            lock.lock();
            try {
                about.set(true);
                wait.on(condition);
            } finally {
                leave(lock);
            }
        });
        Await.until("a thread about to wait", () -> about.get() || done.isDone());
        passThrough(client, lock);
        return new Sleeper(actor, done);
    }

    /** Unlocks, unless the lock has been lost. */
    private static void leave(DistributedLock lock) {
        if (lock.isHeldByCurrentThread()) {
            try {
                lock.unlock();
            } catch (LockLostException justNow) {
                // the same as if the lock had been lost before the question
            }
        }
    }

    /** Acquires and releases the lock: then the earlier holder has released it, and waits on its condition. */
    private void passThrough(Client client, DistributedLock lock) {
        Actor actor = actor();
        actor.run(lock::lock);
        actor.run(lock::unlock);
    }

    /**
     * A thread that waits on a condition.
     *
     * @param done completed when the thread has got the lock again and released it
     */
    record Sleeper(Actor actor, Future<@Nullable Void> done) {

        boolean isAwake() {
            return done.isDone();
        }

        void awaitAwake() {
            Await.result(done);
        }
    }

    /** Acquires the lock, does something, and releases it. */
    void locked(Client client, Actor.Action action) {
        actor().run(() -> {
            client.lock(name).lock();
            try {
                action.run();
            } finally {
                client.lock(name).unlock();
            }
        });
    }

    void signal(Client client) {
        locked(client, condition(client)::signal);
    }

    void signalAll(Client client) {
        locked(client, condition(client)::signalAll);
    }
}
