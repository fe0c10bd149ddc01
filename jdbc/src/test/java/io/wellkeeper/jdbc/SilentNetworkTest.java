package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testservers.TcpProxy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All connections of one client fall silent, in both directions. Nothing is cut, so nobody is told. */
@Tag("full")
class SilentNetworkTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration TRY = Duration.ofMillis(800);
    private static final Duration SLACK = Duration.ofSeconds(5);
    private static final int SECONDS = 30;
    private static final String NAME = "silent";
    private static final String SYNC = "S\0\0\0\4"; // PostgreSQL's message that ends a request

    private final String prefix = RealDatabase.prefix();
    private final CompletableFuture<String> contended = new CompletableFuture<>();

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, jdbc:", "POSTGRESQL, jdbc-simple:", "MARIADB, jdbc:", "MARIADB, jdbc-simple:"})
    @Retention(RetentionPolicy.RUNTIME)
    @interface EachStore {}

    private LockSource connect(RealDatabase database, String scheme, int port) {
        return connect(database, scheme, port, SESSION);
    }

    private LockSource connect(RealDatabase database, String scheme, int port, Duration session) {
        String uri = database.uri(scheme, port) + "&prefix=" + prefix;
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(session)
                .listener(new LockListener() {
                    @Override
                    public void contended(Acquisition what) {
                        contended.complete(what.lock());
                    }
                })
                .build();
        return scheme.equals("jdbc:") ? LockClient.connect(uri, options) : LeaseClient.connect(uri, options);
    }

    /** Not to be had, in time, in either of the two ways in which a store that says nothing lets one know. */
    private static void assertMissed(DistributedLock lock) {
        long start = System.nanoTime();
        try {
            assertThat(lock.tryLock(TRY.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        } catch (LockStoreException silent) {
            assertThat(silent).hasMessageContaining("127.0.0.1");
        } catch (InterruptedException nobodyDoes) {
            throw new AssertionError(nobodyDoes);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(TRY, TRY.plus(SLACK));
    }

    private static void assertWorks(LockSource client) throws InterruptedException {
        client.lock(NAME).tryAcquire(Duration.ofSeconds(SECONDS)).orElseThrow().close();
    }

    @EachStore
    void acquire_holderIsSilenced_getsInWhenItsTimeIsOverAndItKnows(RealDatabase database, String scheme)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockSource silenced = connect(database, scheme, proxy.port());
                LockSource other = connect(database, scheme, database.port())) {
            LockHandle held = silenced.lock(NAME).acquire();
            long stale = held.fencingToken();
            CompletableFuture<LockHandle> waiting = other.lock(NAME).acquireAsync();
            CompletableFuture<Boolean> stillHeld = waiting.thenApply(next -> held.isHeld());
            contended.get(SECONDS, TimeUnit.SECONDS);
            long start = System.nanoTime();
            proxy.swallow(true);
            Duration certain = held.remaining();

            assertMissed(silenced.lock("another"));

            assertThat(stillHeld.get(SECONDS, TimeUnit.SECONDS)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(certain);
            assertThatThrownBy(held::checkHeld).isInstanceOf(LockLostException.class);
            try (LockHandle next = waiting.join()) {
                assertThat(next.fencingToken()).isGreaterThan(stale);
                proxy.swallow(false);
                assertMissed(silenced.lock(NAME));
                assertThat(next.isHeld()).isTrue();
            }
            assertWorks(silenced);
        }
    }

    @EachStore
    void acquire_waiterAheadIsSilenced_getsIn(RealDatabase database, String scheme) throws Exception {
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockSource silenced = connect(database, scheme, proxy.port());
                LockSource holder = connect(database, scheme, database.port());
                LockSource other = connect(database, scheme, database.port())) {
            LockHandle held = holder.lock(NAME).acquire();
            CompletableFuture<Void> trying = CompletableFuture.runAsync(() -> assertMissed(silenced.lock(NAME)));
            contended.get(SECONDS, TimeUnit.SECONDS);
            proxy.swallow(true);
            CompletableFuture<LockHandle> behind = other.lock(NAME).acquireAsync();
            held.close();

            behind.get(SECONDS, TimeUnit.SECONDS).close();

            trying.get(SECONDS, TimeUnit.SECONDS);
            proxy.swallow(false);
            assertWorks(silenced);
        }
    }

    @EachStore
    void acquire_anotherIsSilencedAfterItsRequest_getsIn(RealDatabase database, String scheme) throws Exception {
        String granted = scheme.equals("jdbc:")
                ? "SELECT count(*) FROM " + prefix + "ticket WHERE name = '" + NAME + "'"
                : "SELECT count(*) FROM " + prefix + "lease WHERE name = '" + NAME + "'";
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockSource silenced = connect(database, scheme, proxy.port());
                LockSource other = connect(database, scheme, database.port())) {
            silenced.lock("another").acquire(); // so that nothing else is under way
            proxy.swallowReplies(true);
            CompletableFuture<Void> trying = CompletableFuture.runAsync(() -> assertMissed(silenced.lock(NAME)));
            await().until(() -> trying.isDone() || database.number(granted) == 1);
            proxy.swallow(true);

            assertWorks(other);

            trying.get(SECONDS, TimeUnit.SECONDS);
            proxy.swallow(false);
            assertWorks(silenced);
        }
    }

    /** Its transaction stands open on the server, which hears nothing more of it. */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc:", "jdbc-simple:"})
    void acquire_anotherIsSilencedInTheMiddleOfItsRequest_getsIn(String scheme) throws Exception {
        RealDatabase database = RealDatabase.POSTGRESQL;
        String torn = scheme.equals("jdbc:") ? "COMMIT" : SYNC;
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockSource silenced = connect(database, scheme, proxy.port(), SESSION.multipliedBy(4));
                LockSource other = connect(database, scheme, database.port())) {
            assertWorks(silenced); // so that the name is known
            if (scheme.equals("jdbc:")) { // else the release may go along with what comes next
                silenced.lock("another").acquire();
            }
            String blocked = "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relname = '"
                    + prefix + (scheme.equals("jdbc:") ? "lock" : "lease") + "' AND l.mode = 'RowExclusiveLock'";
            proxy.swallowFrom(torn);
            CompletableFuture<Void> trying = CompletableFuture.runAsync(() -> assertMissed(silenced.lock(NAME)));
            await().pollInterval(Duration.ofMillis(5)).until(() -> database.number(blocked) > 0);

            assertWorks(other);

            trying.get(SECONDS, TimeUnit.SECONDS);
            proxy.swallow(false);
            assertWorks(silenced);
        }
    }
}
