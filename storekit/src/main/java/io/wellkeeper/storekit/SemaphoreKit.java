package io.wellkeeper.storekit;

import io.wellkeeper.LockOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

/** The semaphore of the test, for each client. */
abstract class SemaphoreKit extends LockKit {

    private final Map<Client, Purse.Taken> taken = new ConcurrentHashMap<>();

    Purse semaphore(Client client, int permits) {
        return semaphore(client, name, permits);
    }

    Purse semaphore(Client client, String ofName, int permits) {
        return new Purse(
                client.queues().semaphore(ofName, permits), taken.computeIfAbsent(client, first -> new Purse.Taken()));
    }

    /** Acquires permits that are free, or soon will be. */
    void acquire(Purse semaphore, int permits) {
        actor().run(() -> semaphore.take(permits));
    }

    /** Lets a thread wait for permits; returns when the thread is in the queue. */
    Future<?> queueUp(Client client, Purse semaphore, int permits) {
        return client.queueUp(actor(), name, () -> semaphore.take(permits));
    }

    /** Asserts that a new client can acquire all permits, whatever happened before. */
    void assertAllComeBack(int permits) throws Exception {
        Purse semaphore =
                semaphore(client(LockOptions.builder().awaitRelease(true).build()), permits);
        acquire(semaphore, permits);
        semaphore.give(permits);
    }
}
