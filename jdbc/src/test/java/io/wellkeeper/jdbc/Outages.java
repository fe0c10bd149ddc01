package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A database that cannot be reached for longer than a session lasts. By its clock the time of all sessions is up when it is
 * back, so nobody waits for one of them, not even for his own. Nothing is taken from a session before its time is up, and by
 * then its holders have known for a while that they have lost their locks, however long they stood still.
 */
@ExtendWith(SharedServers.class)
abstract class Outages {

    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(TIMEOUT).build();

    private final Servers server;
    private final Wire wire;
    private final Wire another;
    private final LockClient client;
    private final LockClient rival;

    Outages(Servers server) {
        this.server = server;
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        wire = server.wire(tables);
        another = server.wire(tables);
        client = LockClient.over(wire.store(), OPTIONS);
        rival = LockClient.over(another.store(), OPTIONS);
    }

    @AfterEach
    void close() {
        client.close();
        rival.close();
        wire.close();
        another.close();
    }

    private void assertFreeSoonAfter(Runnable begin, Runnable end) throws Exception {
        LockHandle held = client.lock("outage").acquireAsync().get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> waiting = client.lock("outage").acquireAsync().thenAccept(LockHandle::close);
        CompletableFuture<Void> behind = rival.lock("outage").acquireAsync().thenAccept(LockHandle::close);
        await().until(() -> !client.admin().inspect("outage").waiters().isEmpty());
        begin.run();
        long over = System.nanoTime() + TIMEOUT.toNanos() / 4 * 5;
        await().atMost(TIMEOUT.multipliedBy(3)).until(() -> !held.isHeld() && System.nanoTime() - over > 0);

        end.run();
        long back = System.nanoTime();

        CompletableFuture.allOf(waiting, behind).get(60, TimeUnit.SECONDS);
        client.lock("outage").acquireAsync().get(60, TimeUnit.SECONDS).close();
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .isLessThan(TIMEOUT.multipliedBy(3).dividedBy(4));
    }

    @Test
    void lock_serverWasDownForLongerThanTheSession_isFreeSoon() throws Exception {
        assertFreeSoonAfter(server::kill, server::restart);
    }

    @Test
    void lock_nothingWasAnsweredForLongerThanTheSession_isFreeSoon() throws Exception {
        assertFreeSoonAfter(() -> swallow(true), () -> swallow(false));
    }

    private void swallow(boolean swallowed) {
        wire.swallow(swallowed);
        another.swallow(swallowed);
    }
}
