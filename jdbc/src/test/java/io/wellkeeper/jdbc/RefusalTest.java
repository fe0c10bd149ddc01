package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no waiting removes ends a call, in the words of the database. */
@Tag("full")
@ExtendWith(SharedServers.class)
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final ClientOptions PATIENT = ClientOptions.builder()
            .storeTimeout(Duration.ofMinutes(2)) // so that nothing here ends because of it
            .sessionTimeout(SESSION)
            .build();

    private final PostgresServer postgres;
    private final MariaDbServer mariaDb;

    @TempDir
    Path folder;

    RefusalTest(PostgresServer postgres, MariaDbServer mariaDb) {
        this.postgres = postgres;
        this.mariaDb = mariaDb;
    }

    private static void assertRefused(ThrowingCallable call, String words) {
        assertThatThrownBy(call)
                .isExactlyInstanceOf(LockStoreException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("hidden")
                .hasCauseInstanceOf(StoreRefusalException.class);
    }

    private static void execute(Servers server, String... statements) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** What follows the scheme, and what is said. */
    private Stream<String[]> refused() throws SQLException {
        execute(
                mariaDb,
                "CREATE OR REPLACE USER secretive IDENTIFIED BY 'other'",
                "CREATE OR REPLACE USER unworthy IDENTIFIED BY 'hidden'");
        String pg = "postgresql://127.0.0.1:" + postgres.port();
        String maria = "mariadb://127.0.0.1:" + mariaDb.port();
        return Stream.of(
                new String[] {pg + "/postgres?user=nobody&password=hidden", "role \"nobody\" does not exist"},
                new String[] {pg + "/missing?user=postgres&password=hidden", "database \"missing\" does not exist"},
                new String[] {"postgresql://no.such.host.invalid/postgres?password=hidden", "no.such.host.invalid"},
                new String[] {maria + "/wellkeeper?user=secretive&password=hidden", "Access denied for user"},
                new String[] {maria + "/wellkeeper?user=unworthy&password=hidden", "Access denied for user"},
                new String[] {maria + "/missing?user=root&password=hidden_in_vain", "Access denied for user"},
                new String[] {maria + "/missing?user=root", "Unknown database 'missing'"},
                new String[] {"mariadb://no.such.host.invalid/wellkeeper?password=hidden", "no.such.host.invalid"},
                new String[] {"sqlite:" + folder.resolve("missing").resolve("a.db") + "?password=hidden", "missing"});
    }

    @Test
    void lock_databaseRefuses_failsAtOnceInItsWords() throws Exception {
        for (String[] each : refused().toList()) {
            assertRefused(() -> LockClient.connect("jdbc:" + each[0], PATIENT), each[1]);
            try (LeaseClient client = LeaseClient.connect("jdbc-simple:" + each[0], PATIENT)) {
                DistributedLock lock = client.lock("refused");
                assertRefused(lock::lock, each[1]);
                assertRefused(lock::tryLock, each[1]);
                assertRefused(() -> lock.tryLock(60, TimeUnit.SECONDS), each[1]);
            }
            if (!each[0].startsWith("sqlite:")) {
                try (LeaseClient client = LeaseClient.connect("jdbc-native:" + each[0], PATIENT)) {
                    assertRefused(client.lock("refused")::lock, each[1]);
                }
            }
        }
    }

    /** As the server says it, which it does for every change where its binary log takes nothing but statements. */
    @Test
    void connect_binaryLogKeepsStatementsOnly_failsAtOnceInItsWords() throws SQLException {
        String prefix = RealDatabase.prefix();
        String uri = mariaDb.uri(mariaDb.port()) + "&prefix=" + prefix;
        LockClient.connect(uri, PATIENT).close();
        String words = "impossible to write to binary log since BINLOG_FORMAT = STATEMENT";
        execute(
                mariaDb,
                "CREATE TRIGGER " + prefix + "refused BEFORE INSERT ON " + prefix
                        + "session FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1665, MESSAGE_TEXT = '"
                        + words
                        + "'");

        assertRefused(() -> LockClient.connect(uri, PATIENT), words);
    }

    @Test
    void lock_tableOfALibraryIsMissing_failsAtOnce() {
        String uri = postgres.uri(postgres.port()).replaceFirst("jdbc:", "jdbc-shedlock:") + "&table=missing";
        try (LeaseClient client = LeaseClient.connect(uri, PATIENT)) {
            assertRefused(client.lock("refused")::lock, "\"missing\" does not exist");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql://host/database, org.postgresql:postgresql",
        "mariadb://host/database, org.mariadb.jdbc:mariadb-java-client",
        "mysql://host/database, com.mysql:mysql-connector-j"
    })
    void connect_driverIsNotThere_namesTheArtifact(String database, String artifact) throws SQLException {
        List<Driver> drivers = DriverManager.drivers().toList();
        for (Driver driver : drivers) {
            DriverManager.deregisterDriver(driver);
        }
        try {
            String words = "No suitable driver found for jdbc:" + database + "; add " + artifact;
            assertRefused(() -> LockClient.connect("jdbc:" + database, PATIENT), words);
            try (LeaseClient client = LeaseClient.connect("jdbc-simple:" + database, PATIENT)) {
                assertRefused(client.lock("refused")::lock, words);
            }
        } finally {
            for (Driver driver : drivers) {
                DriverManager.registerDriver(driver);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shedlock", "spring-integration"})
    void lock_tableOfALibraryIsMissingInMariaDb_failsAtOnce(String kind) throws SQLException {
        execute(mariaDb, "CREATE DATABASE IF NOT EXISTS empty");
        String uri = mariaDb.uri(mariaDb.port())
                .replaceFirst("jdbc:", "jdbc-" + kind + ":")
                .replaceFirst("/wellkeeper", "/empty");
        try (LeaseClient client = LeaseClient.connect(uri, PATIENT)) {
            assertRefused(client.lock("refused")::lock, "doesn't exist");
        }
    }

    static Stream<PlainDataSource> lock_driverIsMissing_failsAtOnce() {
        return Stream.of(() -> DriverManager.getConnection("jdbc:none:host"), () -> {
            throw new NoClassDefFoundError("org/driver/Missing");
        });
    }

    @ParameterizedTest
    @MethodSource
    void lock_driverIsMissing_failsAtOnce(PlainDataSource source) {
        Throwable thrown = catchThrowable(() -> LockClient.over(SqlTicketStore.over(source), PATIENT));
        assertThat(thrown).hasCauseInstanceOf(StoreRefusalException.class);
        try (LeaseClient client = LeaseClient.over(LeaseTableStore.over(source), PATIENT)) {
            assertRefused(client.lock("refused")::lock, "r");
        }
        try (LeaseClient client = LeaseClient.over(NativeLeaseStore.over(source), PATIENT)) {
            assertRefused(client.lock("refused")::lock, "r");
        }
    }

    @Test
    void lock_userMayNotConnectAgain_failsWhenTheSessionIsOverAndWorksWhenHeMay() throws Exception {
        execute(postgres, "CREATE ROLE fallen LOGIN SUPERUSER");
        String uri = postgres.uri(postgres.port()).replace("user=postgres", "user=fallen");
        assertThat(uri).contains("fallen");
        try (LockClient client = LockClient.connect(uri, PATIENT)) {
            LockHandle held = client.lock("held").acquire();
            execute(postgres, "ALTER ROLE fallen NOLOGIN");
            execute(postgres, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'fallen'");
            CompletableFuture<LockHandle> waiting = client.lock("refused").acquireAsync();

            await().until(() -> !held.isHeld());
            await().until(waiting::isDone);
            assertThatThrownBy(waiting::join)
                    .cause()
                    .hasMessageContaining("not permitted to log in")
                    .hasCauseInstanceOf(StoreRefusalException.class);
            assertRefused(client.lock("refused")::lock, "not permitted to log in");

            execute(postgres, "ALTER ROLE fallen LOGIN");
            client.lock("refused").acquire().close();
        }
        execute(postgres, "DROP OWNED BY fallen", "DROP ROLE fallen");
    }
}
