package io.wellkeeper.jdbc;

import static io.wellkeeper.jdbc.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What may happen to locks of sessions, on a real server. */
@ExtendWith(SharedServers.class)
abstract class NativeTroubles {

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int CROWD = 20;
    private static final int SECONDS = 30;

    final Servers server;
    final NativeKit kit;
    final String name = "native-" + UUID.randomUUID();
    private final List<LeaseStore> stores = new ArrayList<>();

    NativeTroubles(Servers server) {
        this.server = server;
        this.kit = new NativeKit(server);
    }

    /** A statement that takes, without waiting, the lock of a name as another program might. */
    abstract String strangersLock();

    /** A statement that gives it back. */
    abstract String strangersUnlock();

    @AfterEach
    void close() {
        stores.forEach(LeaseStore::close);
        await().untilAsserted(() -> assertThat(connections()).isZero());
        kit.close();
    }

    LeaseStore store() {
        LeaseStore store = kit.store();
        stores.add(store);
        return store;
    }

    LeaseStore over(PlainDataSource source) {
        LeaseStore store = NativeLeaseStore.over(source);
        stores.add(store);
        return store;
    }

    private int connections() {
        return kit.query(server.connections()).size();
    }

    Optional<Lease> ask(LeaseStore store, String lock, Duration ttl) {
        return get(store.tryAcquire(request(lock, ttl)));
    }

    private static LeaseRequest request(String lock, Duration ttl) {
        return new LeaseRequest(lock, UUID.randomUUID().toString(), ttl, "");
    }

    private static boolean says(Connection connection, String sql, String lock) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, lock);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    @Test
    void tryAcquire_strangerHasTheLock_isEmptyUntilHeGivesItBack() throws Exception {
        LeaseStore store = store();
        try (Connection stranger = server.connect()) {
            assertThat(says(stranger, strangersLock(), name)).isTrue();
            assertThat(ask(store, name, TTL)).isEmpty();
            assertThat(says(stranger, strangersUnlock(), name)).isTrue();

            Lease lease = ask(store, name, TTL).orElseThrow();

            assertThat(says(stranger, strangersLock(), name)).isFalse();
            assertThat(get(store.release(lease))).isTrue();
            assertThat(says(stranger, strangersLock(), name)).isTrue();
        }
    }

    @Test
    void renew_sessionWasKilled_allLeasesAreLostAndNoneComesBack() {
        LeaseStore store = store();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            leases.add(ask(store, name + i, TTL).orElseThrow());
        }

        kit.kill(name + 0);

        List<CompletionStage<Boolean>> renewals = new ArrayList<>();
        leases.forEach(lease -> renewals.add(store.renew(lease, TTL)));
        assertThat(renewals).allSatisfy(renewed -> assertThat(get(renewed)).isFalse());
        Lease next = ask(store(), name + 0, TTL).orElseThrow();
        assertThat(get(store.renew(leases.get(0), TTL))).isFalse();
        assertThat(get(store.release(leases.get(0)))).isFalse();
        assertThat(ask(store, name + 0, TTL)).isEmpty();
        assertThat(next.name()).isEqualTo(name + 0);
    }

    @Test
    void acquire_clientIsCutOffInSilence_serverEndsItsSessionWhenItKnows() throws Exception {
        LeaseStore cutOff = store();
        ClientOptions options =
                ClientOptions.builder().sessionTimeout(SHORT.multipliedBy(2)).build();
        try (LeaseClient first = LeaseClient.over(cutOff, options);
                LeaseClient second = LeaseClient.over(store(), options)) {
            LockHandle held = first.lock(name).acquire();
            CompletableFuture<Boolean> seen = new CompletableFuture<>();
            CompletableFuture<LockHandle> waiting = second.lock(name).acquireAsync();
            waiting.thenAccept(next -> seen.complete(held.isHeld()));

            kit.proxy(cutOff).swallow(true);

            assertThat(seen.get(SECONDS, TimeUnit.SECONDS)).isFalse();
            waiting.join().close();
            kit.proxy(cutOff).swallow(false);
        }
    }

    @Test
    void tryAcquire_connectionWasCutMeanwhile_succeedsOnANewOne() {
        LeaseStore store = store();
        assertThat(get(store.release(ask(store, name, TTL).orElseThrow()))).isTrue();

        kit.proxy(store).cut();

        assertThat(ask(store, name, TTL)).isPresent();
    }

    @Test
    void renew_connectionWasCut_isLost() {
        LeaseStore store = store();
        Lease lease = ask(store, name, TTL).orElseThrow();

        kit.proxy(store).cut();

        assertThat(get(store.renew(lease, TTL))).isFalse();
        await().until(() -> ask(store(), name, TTL).isPresent());
    }

    @Test
    void renew_serverWasRestarted_isLost() {
        LeaseStore store = store();
        Lease lease = ask(store, name, TTL).orElseThrow();

        server.restart();

        assertThat(get(store.renew(lease, TTL))).isFalse();
        assertThat(ask(store, name, TTL)).isPresent();
    }

    @Test
    void acquire_manyHoldersAndWaiters_shareAConnection() {
        LeaseStore store = store();
        Lease held = ask(store, name, TTL).orElseThrow();
        List<CompletionStage<Optional<Lease>>> all = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            all.add(store.tryAcquire(request(name, TTL)));
            all.add(store.tryAcquire(request(name + i, TTL)));
        }

        assertThat(all.stream().filter(each -> get(each).isPresent())).hasSize(CROWD);
        assertThat(connections()).isEqualTo(1);
        assertThat(get(store.release(held))).isTrue();
    }

    @Test
    void release_nothingIsHeldAnyMore_connectionEndsAfterAWhile() {
        LeaseStore store = store();
        Lease lease = ask(store, name, SHORT).orElseThrow();
        assertThat(connections()).isEqualTo(1);
        get(store.release(lease));

        await().until(() -> connections() == 0);

        assertThat(ask(store, name, SHORT)).isPresent();
    }

    /** A server that went on bearing a silence of the longer time would keep what a machine held that has vanished. */
    @Test
    void release_ofALeaseThatWasExtended_connectionEndsAsSoonAsAnother() {
        LeaseStore store = store();
        Lease lease = ask(store, name, SHORT).orElseThrow();
        assertThat(get(store.renew(lease, TTL))).isTrue();

        assertThat(get(store.release(lease))).isTrue();

        await().until(() -> connections() == 0);
    }

    @Test
    void renew_poolerHasPutAnotherSessionInItsPlace_isLost() throws Exception {
        List<Connection> made = new ArrayList<>();
        LeaseStore store = over(() -> {
            made.add(server.connect());
            return made.get(made.size() - 1);
        });
        Lease lease = ask(store, name, TTL).orElseThrow();

        kit.dialect().mark(made.get(0), "another");

        assertThat(get(store.renew(lease, TTL))).isFalse();
    }

    @Test
    void tryLock_sessionOfAnother_takesNothing() throws Exception {
        NativeDialect dialect = kit.dialect();
        String key = dialect.key(name);
        try (Connection pooled = server.connect();
                Connection other = server.connect()) {
            dialect.mark(pooled, "somebody");
            dialect.mark(other, "another");

            assertThatThrownBy(() -> dialect.tryLock(pooled, "me", key)).hasMessageContaining("pooler");

            assertThat(dialect.tryLock(other, "another", key)).isTrue();
            assertThatThrownBy(() -> dialect.unlock(other, "me", key)).hasMessageContaining("pooler");
            assertThat(dialect.unlock(other, "another", key)).isTrue();
        }
    }

    @Test
    void tryAcquire_sessionThatWasUsedBefore_isRefused() {
        LeaseStore store = over(() -> {
            Connection used = server.connect();
            kit.dialect().mark(used, "somebody");
            return used;
        });

        assertThat(Await.failure(store.tryAcquire(request(name, TTL)))).hasMessageContaining("pooler");
    }

    @Test
    void tryAcquire_nobodyThere_saysWhereAndNoSecret() {
        LeaseStore lost = NativeLeaseStore.of(
                StoreUri.parse(server.uri(1).replaceFirst("jdbc:", "jdbc-native:") + "&password=hidden"));
        stores.add(lost);

        assertThat(Await.failure(lost.tryAcquire(request(name, TTL))))
                .hasMessageContaining(":1/")
                .hasMessageNotContaining("hidden");
        lost.close();
        assertThat(Await.failure(lost.tryAcquire(request(name, TTL)))).hasMessageContaining("closed");
    }

    @Test
    void close_serverIsSilent_returnsAtOnce() {
        LeaseStore store = store();
        ask(store, name, TTL).orElseThrow();
        server.pause();
        try {
            CompletionStage<Optional<Lease>> open = store.tryAcquire(request(name + 1, TTL));
            long start = System.nanoTime();
            store.close();
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofSeconds(5).toNanos());
            assertThat(Await.failure(open)).hasMessageContaining("closed");
        } finally {
            server.resume();
        }
    }

    @Test
    void connect_byUri_locks() throws Exception {
        try (LeaseClient client = LeaseClient.connect(server.uri(server.port()).replaceFirst("jdbc:", "jdbc-native:"));
                LockHandle handle = client.lock(name).acquire()) {
            handle.checkHeld();
        }
    }
}
