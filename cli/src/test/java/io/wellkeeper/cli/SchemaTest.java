package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.cli.Cli.Ended;
import io.wellkeeper.jdbc.Fence;
import io.wellkeeper.jdbc.RowLocks;
import io.wellkeeper.jdbc.RowTransaction;
import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code schema} prints is all that a database needs, for users who may not make tables. */
@Timeout(120)
class SchemaTest {

    @Test
    void schema_ofPostgresql_userWhoMayNotMakeTablesLocks() throws Exception {
        try (PostgresProcess server = PostgresProcess.start()) {
            execute(server.jdbcUrl(), "CREATE ROLE modest LOGIN");
            execute(server.jdbcUrl(), "CREATE SCHEMA shop");
            execute(server.jdbcUrl(), printed("postgresql", "--schema", "shop"));
            execute(server.jdbcUrl(), "GRANT USAGE ON SCHEMA shop TO modest");
            execute(server.jdbcUrl(), "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shop TO modest");

            locksWithoutMakingTables(server.jdbcUrl().replace("user=postgres", "user=modest"), "shop");
        }
    }

    @Test
    void schema_ofMariaDbAndMySql_userWhoMayNotMakeTablesLocks() throws Exception {
        try (MariaDbProcess server = MariaDbProcess.start()) {
            execute(server.jdbcUrl(), "CREATE USER modest");
            for (String dialect : new String[] {"mariadb", "mysql"}) {
                String schema = "shop_" + dialect;
                execute(server.jdbcUrl(), "CREATE DATABASE " + schema);
                execute(server.jdbcUrl(), printed(dialect, "--schema", schema));
                execute(server.jdbcUrl(), "GRANT SELECT, INSERT, UPDATE, DELETE ON " + schema + ".* TO modest");

                String url = server.jdbcUrl().replace("user=root", "user=modest");
                locksWithoutMakingTables(url.replace("/wellkeeper", "/" + schema), schema);
            }
        }
    }

    @Test
    void schema_ofSqlite_locks(@TempDir Path directory) throws Exception {
        String url = "jdbc:sqlite:" + directory.resolve("locks.db");
        execute(url, printed("sqlite"));

        lock(url + "?prefix=ours_");
    }

    private static String printed(String... dialect) {
        Ended ended = new Cli()
                .run(Stream.concat(Stream.of("schema", "--prefix", "ours_"), Stream.of(dialect))
                        .toArray(String[]::new));
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        return ended.out();
    }

    private static void execute(String url, String statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements.strip().split(";\\R")) {
                statement.execute(each);
            }
        }
    }

    private static void locksWithoutMakingTables(String url, String schema) throws Exception {
        assertThatThrownBy(() -> execute(url, "CREATE TABLE " + schema + ".another (id bigint)"))
                .hasMessageContaining("denied");
        String names = "&schema=" + schema + "&prefix=ours_";
        lock(url + names);
        try (LeaseClient client = LeaseClient.connect(url.replaceFirst("jdbc:", "jdbc-simple:") + names);
                LockHandle handle = client.lock("name").acquire()) {
            handle.checkHeld();
        }
        RowLocks rows = RowLocks.over(source(url), schema, "ours_");
        rows.createTable();
        Fence fence = Fence.prefixed(schema, "ours_");
        try (Connection connection = DriverManager.getConnection(url)) {
            fence.createTable(connection);
        }
        try (RowTransaction transaction = rows.transaction("name")) {
            fence.check(transaction.connection(), "name", transaction.fencingToken("name"));
            transaction.commit();
        }
    }

    private static void lock(String uri) throws Exception {
        try (LockClient client = LockClient.connect(uri);
                LockHandle handle = client.lock("name").acquire()) {
            handle.checkHeld();
        }
    }

    private static DataSource source(String url) {
        return (DataSource) Proxy.newProxyInstance(
                SchemaTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getConnection");
                    return DriverManager.getConnection(url);
                });
    }
}
