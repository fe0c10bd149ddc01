package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A client that asks for many locks at once keeps those that it has, and so does another one. What costs time for each ticket
 * that a client has is seen with 30,000 locks, {@code -Dio.wellkeeper.jdbc.burst=30000}, beside four busy processes.
 */
@ExtendWith(SharedServers.class)
abstract class Bursts {

    private static final int BURST = Integer.getInteger("io.wellkeeper.jdbc.burst", 2_000);
    private static final int HELD = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(4);

    private final Servers server;

    Bursts(Servers server) {
        this.server = server;
    }

    private LockClient connect() {
        return LockClient.over(
                SqlTicketStore.of(StoreUri.parse(server.uri(server.port()))),
                ClientOptions.builder().sessionTimeout(TIMEOUT).build());
    }

    private static List<CompletableFuture<LockHandle>> acquire(LockClient client, String prefix, int number) {
        List<CompletableFuture<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            all.add(client.lock(prefix + i).acquireAsync());
        }
        return all;
    }

    private static List<LockHandle> get(List<CompletableFuture<LockHandle>> coming) throws Exception {
        CompletableFuture.allOf(coming.toArray(CompletableFuture<?>[]::new)).get(5, TimeUnit.MINUTES);
        return coming.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void lock_manyNamesAtOnce_noHeldLockIsLost() throws Exception {
        try (LockClient client = connect();
                LockClient bystander = connect()) {
            List<LockHandle> held = new ArrayList<>(get(acquire(client, "burst/held/", HELD)));
            held.addAll(get(acquire(bystander, "burst/bystander/", HELD)));
            List<LockHandle> burst = get(acquire(client, "burst/", BURST));

            assertThat(held).allMatch(LockHandle::isHeld);
            assertThat(burst).allMatch(LockHandle::isHeld);
            burst.forEach(LockHandle::close);
        }
    }
}
