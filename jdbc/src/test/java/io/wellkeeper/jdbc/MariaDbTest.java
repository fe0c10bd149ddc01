package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What MariaDB and MySQL are told, and what they answer. */
@ExtendWith(SharedServers.class)
class MariaDbTest {

    private static final int ENDED_IN_TIME = 1969;
    private static final int MYSQL_HUNG_UP = 4031;

    private final MariaDbServer server;
    private final Dialect mariaDb = new MariaDb();

    MariaDbTest(MariaDbServer server) {
        this.server = server;
    }

    /** The server waits for a row for a second at least, which is longer than an answer may take where sessions are short. */
    @Test
    void prepare_rowIsBusyAndSessionShort_statementEndsBeforeTheWaitForTheRow() throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        Steps steps = mariaDb.statements(tables);
        Map<String, Object> row = Map.of("me", "short", "name", "busy");
        try (Connection requests = server.connect();
                Connection user = server.connect();
                Statement statement = user.createStatement()) {
            assumeThat(Vendor.of(requests)).isEqualTo(Vendor.MARIADB); // MySQL can only limit queries
            mariaDb.createTables(requests, tables);
            mariaDb.prepare(requests, tables, "short", Duration.ofMillis(200));
            steps.run(requests, Step.HEED, row);
            user.setAutoCommit(false);
            statement.execute(tables.fill("SELECT * FROM {lock} WHERE name = 'busy' FOR UPDATE"));

            SQLException busy = catchThrowableOfType(SQLException.class, () -> steps.run(requests, Step.HEED, row));

            assertThat(busy.getErrorCode()).isEqualTo(ENDED_IN_TIME);
            assertThat(mariaDb.remedy(busy)).isEqualTo(Dialect.Remedy.REPEAT);
            user.rollback();
            steps.run(requests, Step.HEED, row);
        }
    }

    /** Else the connections of a machine that has vanished would stay on the server for hours. */
    @Test
    void prepareAndListen_clientVanishes_serverEndsItsConnectionsBeforeLong() throws SQLException {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        try (Connection requests = server.connect();
                Connection listener = server.connect()) {
            mariaDb.createTables(requests, tables);
            mariaDb.prepare(requests, tables, "vanished", Duration.ofSeconds(1));
            mariaDb.listen(listener, tables, "vanished");

            for (Connection each : List.of(requests, listener)) {
                assertThat((Long) MariaDb.value(each, "SELECT CAST(@@wait_timeout AS SIGNED)"))
                        .isBetween(1L, 60L);
            }
        }
    }

    /** Heartbeats come twice as often as the longest silence; here, of a session of 3.9 s, every 975 ms. */
    @Test
    void prepare_betweenTwoHeartbeats_serverDoesNotEndTheConnection() throws SQLException {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        try (Connection requests = server.connect()) {
            mariaDb.createTables(requests, tables);
            mariaDb.prepare(
                    requests, tables, "silent", Duration.ofMillis(3_900 / 8)); // with a row, as of such a session

            assertThat((Long) MariaDb.value(requests, "SELECT CAST(@@wait_timeout AS SIGNED)"))
                    .isGreaterThanOrEqualTo(2);
        }
    }

    /** MariaDB's driver takes that for an answer like any other. */
    @Test
    void remedy_mySqlHasHungUpOnASilentConnection_isToConnectAgain() {
        SQLException silent = new SQLException("The client was disconnected by the server", "HY000", MYSQL_HUNG_UP);

        assertThat(mariaDb.remedy(silent)).isEqualTo(Dialect.Remedy.RECONNECT);
    }
}
