package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.testservers.RedisProcess;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks as articles often show them, what becomes of them, and beside each what becomes of ours. */
@ExtendWith(SharedServers.class)
class WrongExamplesTest {

    private final RedisProcess server;
    private final String name = "wrong-" + UUID.randomUUID();

    WrongExamplesTest(SingleServer servers) {
        this.server = servers.masters().get(0);
    }

    @AfterEach
    void delete() {
        server.call("DEL", name);
    }

    private LeaseClient connect() {
        return LeaseClient.connect("redis-simple://" + server.address());
    }

    @Test
    void setnxAndExpire_processDiesBetweenTheTwo_nobodyGetsInEverAgain() {
        assertThat(server.call("SETNX", name, "it died before it could say EXPIRE"))
                .isEqualTo(1L);

        assertThat(server.call("PTTL", name)).isEqualTo(-1L);
        assertThat(server.call("SETNX", name, "next")).isEqualTo(0L);
    }

    @Test
    void simpleLock_processDies_keyEndsByItself() {
        try (LeaseClient client = connect()) {
            client.lock(name).lock();

            assertThat((Long) server.call("PTTL", name)).isPositive();
        }
    }

    @Test
    void del_ownLeaseIsOver_removesTheLockOfTheNextAndLetsAThirdIn() {
        server.call("SET", name, "first", "NX", "PX", "20000");
        server.call("PEXPIRE", name, "0"); // as if the first had taken 20 seconds
        assertThat(server.call("SET", name, "second", "NX", "PX", "20000")).isEqualTo("OK");

        server.call("DEL", name); // in the "finally" of the first

        assertThat(server.call("SET", name, "third", "NX", "PX", "20000")).isEqualTo("OK");
    }

    @Test
    void simpleLock_leaseIsOver_unlockLeavesTheLockOfTheNext() {
        try (LeaseClient client = connect()) {
            DistributedLock lock = client.lock(name);
            lock.lock();
            server.call("PEXPIRE", name, "0");
            assertThat(server.call("SET", name, "second", "NX", "PX", "20000")).isEqualTo("OK");

            try {
                lock.unlock();
            } catch (LockLostException known) {
                // if the store has said so by now
            }
        }

        assertThat(server.call("GET", name)).isEqualTo("second");
        assertThat(server.call("SET", name, "third", "NX", "PX", "20000")).isNull();
    }
}
