package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockOptions;
import java.util.concurrent.Future;

/** The semaphore of the test, as each client sees it. */
abstract class SemaphoreKit extends LockKit {

    DistributedSemaphore semaphore(Client client, int permits) {
        return client.queues().semaphore(name, permits);
    }

    /** Acquires what is free, or will be. */
    void acquire(DistributedSemaphore semaphore, int permits) {
        actor().run(() -> semaphore.acquire(permits));
    }

    /** Has a thread wait for permits; returns when it stands in the queue. */
    Future<?> queueUp(Client client, DistributedSemaphore semaphore, int permits) {
        return client.queueUp(actor(), name, () -> semaphore.acquire(permits));
    }

    /** Whatever happened before, a newcomer can have all permits. */
    void assertAllComeBack(int permits) throws Exception {
        DistributedSemaphore semaphore =
                semaphore(client(LockOptions.builder().awaitRelease(true).build()), permits);
        acquire(semaphore, permits);
        semaphore.release(permits);
    }
}
