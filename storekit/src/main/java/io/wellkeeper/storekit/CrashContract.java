package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The lock between processes, some of which die, and some of which only seem to die. */
public abstract class CrashContract {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration PLENTY = Duration.ofSeconds(60);

    /** Called by the store's own test. */
    protected CrashContract() {}

    /**
     * The URI of the store, for this process and for others.
     *
     * @return a URI of a {@link io.wellkeeper.spi.StoreProvider}
     */
    protected abstract String uri();

    @Test
    void kill_holderInItsSection_queueMovesOnWithLargerToken() throws Exception {
        try (LockClient client = connect();
                JavaProcess holder = puppet("crash/killed", "hold")) {
            long stale = token(holder);
            holder.kill();

            try (LockHandle handle =
                    client.lock("crash/killed").tryAcquire(PLENTY).orElseThrow()) {
                assertThat(handle.fencingToken()).isGreaterThan(stale);
            }
        }
    }

    @Test
    void kill_waiterInTheMiddle_thoseBehindItGetIn() throws Exception {
        try (LockClient first = connect();
                LockClient last = connect();
                LockHandle held = first.lock("crash/middle").acquire();
                JavaProcess middle = puppet("crash/middle", "hold")) {
            awaitWaiters(first, "crash/middle", 1);
            CompletableFuture<LockHandle> behind = last.lock("crash/middle").acquireAsync();
            awaitWaiters(first, "crash/middle", 2);

            middle.kill();
            held.close();

            behind.get(PLENTY.toSeconds(), TimeUnit.SECONDS).close();
        }
    }

    @Test
    void pause_holderBeyondItsSession_knowsAtTheFirstCallAfterItWakes() throws Exception {
        try (LockClient client = connect();
                JavaProcess holder = puppet("crash/paused", "sleep")) {
            long stale = token(holder);
            holder.pause();
            try (LockHandle handle =
                    client.lock("crash/paused").tryAcquire(PLENTY).orElseThrow()) {
                assertThat(handle.fencingToken()).isGreaterThan(stale);
                holder.resume();
                holder.awaitLine("onLost"::equals, PLENTY);
                holder.awaitLine(line -> line.startsWith("unlock again"), PLENTY);

                assertThat(holder.output())
                        .contains(
                                "isHeld false",
                                "fencingToken LockLostException",
                                "checkHeld LockLostException",
                                "lock LockLostException",
                                "unlock LockLostException",
                                "unlock again IllegalMonitorStateException");
                assertThat(handle.isHeld()).isTrue();
                assertThat(client.admin().inspect("crash/paused").holders())
                        .singleElement()
                        .satisfies(who -> assertThat(who.pid())
                                .isEqualTo(ProcessHandle.current().pid()));
            }
        }
    }

    @Test
    void exit_afterUnlockAndClose_leavesNothingUntilTheSessionTimeout() {
        try (LockClient client = connect();
                JavaProcess holder = puppet("crash/exit", "exit")) {
            assertThat(holder.awaitExit(PLENTY)).isZero();

            assertThat(client.admin().inspect("crash/exit").holders()).isEmpty();
            assertThat(client.lock("crash/exit").tryLock()).isTrue();
            client.lock("crash/exit").unlock();
        }
    }

    @Test
    void inspect_holderInAnotherProcess_showsWhoAndWhy() {
        try (LockClient client = connect();
                JavaProcess holder = puppet("crash/shown", "hold")) {
            token(holder);
            LockStatus status = client.admin().inspect("crash/shown");

            assertThat(status.waiters()).isEmpty();
            assertThat(status.holders()).singleElement().satisfies(who -> {
                assertThat(who.pid()).isEqualTo(holder.pid());
                assertThat(who.clientName()).isEqualTo("the puppet");
                assertThat(who.reason()).isEqualTo("to be seen");
                assertThat(who.thread()).isEqualTo("main");
                assertThat(who.host()).isNotEmpty();
                assertThat(who.waited()).isLessThan(PLENTY);
            });
            assertThat(client.admin().names("crash/")).contains("crash/shown");
        }
    }

    private void awaitWaiters(LockClient client, String name, int count) {
        Await.until(
                () -> count + " waiters",
                () -> client.admin().inspect(name).waiters().size() == count);
    }

    private JavaProcess puppet(String name, String part) {
        return JavaProcess.of(Puppet.class.getName())
                .arguments(uri(), name, SESSION.toString(), part)
                .start();
    }

    private long token(JavaProcess puppet) {
        String line = puppet.awaitLine(said -> said.startsWith("token "), PLENTY);
        return Long.parseLong(line.substring("token ".length()));
    }

    private LockClient connect() {
        return LockClient.connect(
                uri(), ClientOptions.builder().sessionTimeout(SESSION).build());
    }
}
