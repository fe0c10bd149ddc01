package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operator of a database is warned of. */
@Tag("full")
class SettingsTest {

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Warned of this setting, and of nothing else. */
    private static void awaitWarned(LockClient client, String setting) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(client.admin().storeWarnings())
                        .singleElement()
                        .asString()
                        .startsWith(setting));
    }

    private static void awaitNone(LockClient client) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(client.admin().storeWarnings()).isEmpty());
    }

    @Test
    void warnings_settingsOfPostgresAreChanged_comeAndGo() throws Exception {
        try (PostgresProcess server = PostgresProcess.start("fsync=on");
                LockClient client = LockClient.connect(server.jdbcUrl())) {
            awaitNone(client);
            for (String setting : new String[] {"synchronous_commit", "full_page_writes"}) {
                execute(server.jdbcUrl(), "ALTER SYSTEM SET " + setting + " = off");
                execute(server.jdbcUrl(), "SELECT pg_reload_conf()");
                awaitWarned(client, setting + " is off");

                execute(server.jdbcUrl(), "ALTER SYSTEM RESET " + setting);
                execute(server.jdbcUrl(), "SELECT pg_reload_conf()");
                awaitNone(client);
            }
        }
    }

    @Test
    void warnings_postgresForcesNothingToTheDisk_saysSo() {
        try (PostgresProcess server = PostgresProcess.start("fsync=off");
                LockClient client = LockClient.connect(server.jdbcUrl())) {
            awaitWarned(client, "fsync is off");
        }
    }

    @Test
    void warnings_settingsOfMariaDbAreChanged_comeAndGo() throws Exception {
        try (MariaDbProcess server = MariaDbProcess.start(
                        "--innodb-flush-log-at-trx-commit=1", "--log-bin=binlog", "--server-id=1", "--sync-binlog=1");
                LockClient client = LockClient.connect(server.jdbcUrl())) {
            awaitNone(client);
            for (String setting : new String[] {"innodb_flush_log_at_trx_commit", "sync_binlog"}) {
                execute(server.jdbcUrl(), "SET GLOBAL " + setting + " = 0");
                awaitWarned(client, setting + " is 0");

                execute(server.jdbcUrl(), "SET GLOBAL " + setting + " = 1");
                awaitNone(client);
            }
        }
    }

    @Test
    void warnings_synchronousOfSqlite_onlyIfItIsOff(@TempDir Path folder) {
        String url = "jdbc:sqlite:" + folder.resolve("locks.db") + "?anyFileSystem=true";
        try (LockClient client = LockClient.connect(url)) {
            awaitNone(client);
        }
        try (LockClient client = LockClient.connect(url + "&synchronous=OFF")) {
            awaitWarned(client, "synchronous is OFF");
        }
    }

    @Test
    void warnings_serviceWithAStorageOfItsOwn_onlyOfWhatItsUserSets() {
        assertThat(new PostgreSql()
                        .warnings(Map.of("fsync", "off", "full_page_writes", "off", "neon.timeline_id", "1")))
                .isEmpty();
        assertThat(new PostgreSql().warnings(Map.of("synchronous_commit", "off", "rds.extensions", "all")))
                .hasSize(1);
        Map<String, String> aurora =
                Map.of("innodb_doublewrite", "OFF", "log_bin", "0", "sync_binlog", "0", "basedir", "/rdsdbbin/oscar/");
        assertThat(new MariaDb().warnings(aurora)).isEmpty();
        assertThat(new MariaDb().warnings(Map.of("innodb_doublewrite", "0", "basedir", "/usr")))
                .hasSize(1);
    }
}
