package io.wellkeeper.jdbc;

import static io.wellkeeper.jdbc.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@ExtendWith(SharedServers.class)
class LeaseTableStoreTest {

    private static final Duration TTL = Duration.ofSeconds(20);
    private static final int CROWD = 100;
    private static final int VERY_MANY = 20_000;

    private final PostgresServer server;
    private final LeaseStore store;
    private final String name = "lease-" + UUID.randomUUID();

    LeaseTableStoreTest(PostgresServer server) {
        this.server = server;
        this.store = LeaseTableStore.of(uri("", server.port()));
    }

    private static StoreUri uri(String parameters, int port) {
        return StoreUri.parse(
                "jdbc-simple:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&password=hidden" + parameters);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletionStage<Optional<Lease>> ask(String owner) {
        return store.tryAcquire(new LeaseRequest(name, owner, TTL, "somebody"));
    }

    private Lease acquire(String owner) {
        return get(ask(owner)).orElseThrow();
    }

    /** The first column of what a query finds. */
    private List<String> query(String sql) {
        List<String> found = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (rows.next()) {
                        found.add(rows.getString(1));
                    }
                }
            }
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
        return found;
    }

    private String row() {
        return String.join(
                " ",
                query("SELECT owner || ':' || metadata || ':' || token FROM wellkeeper_lease WHERE name = '" + name
                        + "'"));
    }

    @Test
    void tryAcquire_afterAReleaseThatWasNotAwaited_getsTheLock() {
        for (int i = 0; i < CROWD; i++) {
            Lease mine = get(ask("me" + i)).orElseThrow();
            CompletionStage<Boolean> released = store.release(mine);
            Optional<Lease> another = get(ask("another" + i));
            assertThat(another).isPresent();
            assertThat(get(released)).isTrue();
            store.release(another.orElseThrow());
        }
    }

    @Test
    void tryAcquire_dataSourceGivesNoSecondConnection_allAreServedByTheFirst() {
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<Connection> never = new CompletableFuture<>();
        DataSource exhausted = (PlainDataSource) () -> asked.incrementAndGet() == 1 ? server.connect() : never.join();
        LeaseStore shared = LeaseTableStore.over(exhausted);
        try {
            List<CompletionStage<Optional<Lease>>> all = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                all.add(shared.tryAcquire(new LeaseRequest(name + i, "me", TTL, "")));
            }
            assertThat(all).allSatisfy(one -> assertThat(get(one)).isPresent());
        } finally {
            never.cancel(true);
            shared.close();
        }
    }

    @Test
    void tryAcquire_thenRelease_rowStaysWithItsToken() {
        Lease lease = acquire("me");
        long token = lease.token().orElseThrow();

        assertThat(row()).isEqualTo("me:somebody:" + token);
        assertThat(lease.validity()).isEqualTo(Duration.ofMillis(19_798));
        get(store.release(lease));
        assertThat(row()).isEqualTo(":me:" + token);
        assertThat(acquire("other").token().orElseThrow()).isGreaterThan(token);
    }

    @Test
    void tryAcquire_clockWasSetBack_tokenGrows() {
        Lease first = acquire("me");
        get(store.release(first));
        query("UPDATE wellkeeper_lease SET token = token + 3600000000 WHERE name = '" + name + "'");

        assertThat(acquire("other").token().orElseThrow())
                .isEqualTo(first.token().orElseThrow() + 3_600_000_001L);
    }

    @Test
    void tryAcquire_rowWasDeleted_tokenGrows() {
        Lease first = acquire("me");
        query("DELETE FROM wellkeeper_lease WHERE name = '" + name + "'");

        assertThat(acquire("other").token().orElseThrow())
                .isGreaterThan(first.token().orElseThrow());
    }

    @Test
    void release_ofAnotherToken_leavesTheLeaseAlone() {
        Lease lease = acquire("me");
        Lease another = new Lease(name, "me", OptionalLong.of(lease.token().orElseThrow() - 1), TTL);

        assertThat(get(store.renew(another, TTL))).isFalse();
        assertThat(get(store.release(another))).isFalse();
        assertThat(get(store.release(lease))).isTrue();
    }

    @Test
    void tryAcquire_manyAtOnce_takesTwoConnections() {
        List<CompletionStage<Optional<Lease>>> all = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            all.add(ask("owner-" + i));
        }

        assertThat(all.stream().filter(each -> get(each).isPresent())).hasSize(1);
        assertThat(query("SELECT pid FROM pg_stat_activity WHERE application_name = 'wellkeeper'"))
                .hasSizeBetween(1, 2);
    }

    @Test
    void over_dataSourceWithSchemaAndPrefix_locksThere() throws Exception {
        query("CREATE SCHEMA leases");
        LeaseStore there =
                LeaseTableStore.over(new DriverManagerDataSource(server.uri(server.port())), "leases", "my_");
        try (LeaseClient client = LeaseClient.over(there);
                LockHandle handle = client.lock(name).acquire()) {
            handle.checkHeld();
            assertThat(query("SELECT name FROM leases.my_lease")).containsExactly(name);
        } finally {
            there.close();
        }
        await().until(() -> query(server.connections()).isEmpty());
        query("DROP SCHEMA leases CASCADE");
    }

    @Test
    void tryAcquire_userWhoMayNotMakeTables_needsNoMoreThanItsRows() {
        query("CREATE ROLE modest LOGIN");
        LeaseStore modest = LeaseTableStore.of(StoreUri.parse(
                "jdbc-simple:postgresql://127.0.0.1:" + server.port() + "/postgres?user=modest&prefix=modest_"));
        LeaseRequest request = new LeaseRequest(name, "me", TTL, "");
        assertThat(Await.failure(modest.tryAcquire(request))).hasMessageContaining("permission denied");
        query(LeaseTableStore.schema("postgresql", "modest_"));
        query("GRANT SELECT, INSERT, UPDATE ON modest_lease TO modest");

        Lease lease = get(modest.tryAcquire(request)).orElseThrow();

        assertThat(get(modest.renew(lease, TTL))).isTrue();
        assertThat(get(modest.release(lease))).isTrue();
        modest.close();
        query("DROP TABLE modest_lease");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "shedlock", "spring-integration"})
    void connect_byUri_locks(String kind) throws Exception {
        LibraryTables.shedLock(server);
        LibraryTables.intLock(server);
        try (LeaseClient client =
                        LeaseClient.connect(server.uri(server.port()).replaceFirst("jdbc:", "jdbc-" + kind + ":"));
                LockHandle handle = client.lock("by-uri").acquire()) {
            handle.checkHeld();
        }
    }

    @Test
    void tryAcquire_tableOfALibraryIsMissing_saysSo() {
        LeaseStore missing = ShedLockLeaseStore.of(uri("&table=missing", server.port()));

        assertThat(Await.failure(missing.tryAcquire(new LeaseRequest(name, "me", TTL, ""))))
                .hasMessageContaining("\"missing\" does not exist");
        missing.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc-simple:oracle:thin:@host?password=hidden",
                "jdbc-simple:postgresql",
                "jdbc-simple:postgresql://me:hidden@host/database",
                "jdbc-simple:mariadb://host/database?password=hidden&prefix=x%3B+DROP",
                "jdbc-simple:mariadb://host/database?password=hidden&schema=a.b",
                "jdbc-simple:sqlite::memory:?password=hidden"
            })
    void of_wrong_isRefusedWithoutTheSecret(String uri) {
        assertThatThrownBy(() -> LeaseTableStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void over_tableThatIsNoName_isRefused() {
        DriverManagerDataSource source = new DriverManagerDataSource(server.uri(server.port()));

        assertThatThrownBy(() -> ShedLockLeaseStore.over(source, "x; DROP TABLE users"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("table name");
        assertThatThrownBy(() -> IntLockLeaseStore.over(source, "\"INT\"_", "DEFAULT"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Each waits for the one before it. */
    @Test
    void close_veryManyHaveAskedForOneLock_refusesAllOfThem() {
        CompletableFuture<Connection> never = new CompletableFuture<>();
        LeaseStore silent = LeaseTableStore.over((PlainDataSource) never::join);
        List<CompletableFuture<Optional<Lease>>> all = IntStream.range(0, VERY_MANY)
                .mapToObj(i -> silent.tryAcquire(new LeaseRequest(name, "owner-" + i, TTL, ""))
                        .toCompletableFuture())
                .toList();

        silent.close();

        get(CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).handle((none, refused) -> "over"));
        assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
        never.cancel(true);
    }

    @Test
    void tryAcquire_nobodyThere_saysWhereAndNoSecret() {
        LeaseStore lost = LeaseTableStore.of(uri("", 1));

        LockStoreException failure = Await.failure(lost.tryAcquire(new LeaseRequest(name, "me", TTL, "")));

        assertThat(failure).hasMessageContaining("127.0.0.1:1/postgres").hasMessageNotContaining("hidden");
        lost.close();
        assertThat(Await.failure(lost.tryAcquire(new LeaseRequest(name, "me", TTL, ""))))
                .hasMessageContaining("closed");
    }
}
