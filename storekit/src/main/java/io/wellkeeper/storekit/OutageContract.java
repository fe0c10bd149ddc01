package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A store that cannot be reached for longer than a session lasts, and then can be reached again. A client must not wait
 * behind its own ended session as long as that session would last at a store that hears nothing from its client.
 */
public abstract class OutageContract extends LockKit {

    private static final Duration SECONDS =
            Duration.ofSeconds(4); // so long that the slowness of a machine is not taken for a long wait

    /** Called by the store's own test. */
    protected OutageContract() {}

    @Test
    void pause_forLongerThanASession_lockIsFreeSoonAfterTheEnd() throws Exception {
        assertIsFreeSoonAfter(client -> fixture.pause(), client -> fixture.resume());
    }

    @Test
    void pause_forLongerThanASessionAndThenARestart_lockIsFreeSoonAfterTheEnd() throws Exception {
        assertIsFreeSoonAfter(client -> fixture.pause(), client -> fixture.restart());
    }

    @Test
    void cut_forLongerThanASession_lockIsFreeSoonAfterTheEnd() throws Exception {
        assertIsFreeSoonAfter(client -> fixture.cut(client.client()), client -> fixture.mend(client.client()));
    }

    @FunctionalInterface
    private interface Verb {

        void befall(Client client) throws Exception;
    }

    private void assertIsFreeSoonAfter(Verb outage, Verb end) throws Exception {
        Duration timeout = fixture.shortTimeout().compareTo(SECONDS) < 0 ? SECONDS : fixture.shortTimeout();
        Client client = client(options().sessionTimeout(timeout));
        LockHandle held = Await.get(client.lock(name).acquireAsync());
        CompletableFuture<LockHandle> waiting = client.lock(name).acquireAsync();
        outage.befall(client);
        long over = System.nanoTime() + timeout.toNanos() * 5 / 4;
        Await.until("the end of the session", () -> !held.isHeld() && System.nanoTime() - over > 0);

        end.befall(client);
        long back = System.nanoTime();

        Await.get(waiting).close();
        Await.get(client.lock(name).acquireAsync()).close();
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .isLessThan(timeout.multipliedBy(3).dividedBy(4));
    }
}
