package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.testservers.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class PostgresProcessTest {

    @Test
    void restart_afterWriting_dataIsThere() throws Exception {
        try (PostgresProcess server = PostgresProcess.start()) {
            execute(server, "CREATE TABLE kept AS SELECT 42 AS answer");
            server.restart();
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT answer FROM kept")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(42);
            }
        }
    }

    @Test
    void pause_thenResume_answersOnlyAfterwards() throws Exception {
        try (PostgresProcess server = PostgresProcess.start();
                Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
            server.pause();
            assertThat(connection.isValid(1)).isFalse();
            server.resume();
            execute(server, "SELECT 1");
            server.pause();
        }
    }

    @Test
    void kill_connected_connectionBreaks() throws Exception {
        try (PostgresProcess server = PostgresProcess.start();
                Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
            server.kill();
            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
                    .isInstanceOf(SQLException.class);
        }
    }

    private static void execute(PostgresProcess server, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
