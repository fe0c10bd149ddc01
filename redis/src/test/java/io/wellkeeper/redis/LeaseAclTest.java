package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.testservers.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A user of the server needs no more rights than {@code docs/redis-classic.md} says. */
class LeaseAclTest {

    private static void allow(RedisProcess server, String channels) {
        server.call(
                "ACL",
                "SETUSER",
                "app",
                "on",
                ">hidden",
                "~orders/*",
                "~wellkeeper:lease:*",
                channels,
                "-@all",
                "+@connection",
                "+@scripting",
                "+@string",
                "+@hash",
                "+@keyspace",
                "+@pubsub",
                "+time",
                "+info");
    }

    private static void use(String uri) throws Exception {
        try (LeaseClient client = LeaseClient.connect(uri);
                LeaseClient other = LeaseClient.connect(uri)) {
            DistributedLock lock = client.lock("orders/42");
            lock.lock();
            Thread waiter = new Thread(() -> {
                other.lock("orders/42").lock();
                other.lock("orders/42").unlock();
            });
            waiter.start();
            assertThat(other.lock("orders/42").tryLock()).isFalse();
            lock.unlock();
            waiter.join();
        }
    }

    @Test
    void lock_asAclUser_needsNoMoreThanItsKeysAndChannel() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            allow(server, "&wellkeeper:released");
            use("redis-simple://app:hidden@" + server.address());
            assertThat(server.call("ACL", "LOG")).isEqualTo(List.of());

            server.call("ACL", "DELUSER", "app");
            allow(server, "&redisson_lock__channel:*");
            server.call(
                    "ACL",
                    "SETUSER",
                    "app",
                    "~redisson_lock_queue:*",
                    "~redisson_lock_timeout:*",
                    "+@list",
                    "+@sortedset");
            use("redis-redisson://app:hidden@" + server.address());
            assertThat(server.call("ACL", "LOG")).isEqualTo(List.of());
        }
    }

    @Test
    void lock_asAclUserOfRedlock_needsNoMoreThanItsKeysAndChannel() throws Exception {
        try (RedlockServers servers = new RedlockServers()) {
            servers.all().forEach(server -> allow(server, "&wellkeeper:released"));
            String uri = servers.uri().replace("redlock://", "redlock://app:hidden@") + "?restartDelay=0s";
            use(uri);

            assertThat(servers.all())
                    .allSatisfy(server -> assertThat(server.call("ACL", "LOG")).isEqualTo(List.of()));

            servers.all().forEach(server -> server.call("ACL", "SETUSER", "app", "-info"));
            use(uri); // which server it is, is not known then
        }
    }
}
