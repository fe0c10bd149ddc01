package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import org.junit.jupiter.api.Test;

/** A semaphore that another client has resized is drained of all that is there. */
class DrainedSemaphoreTest {

    private static final String NAME = "drained";

    @Test
    void drainPermits_anotherHasMadeMore_takesThemAll() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server))) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 3);
            semaphore.acquire(1);
            other.semaphore(NAME, 3).resize(10);

            assertThat(semaphore.drainPermits()).isEqualTo(9);
            semaphore.release(10);
        }
    }
}
