package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.testservers.MariaDbProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class MariaDbProcessTest {

    @Test
    void start_thenPauseAndKillAndRestart_dataIsThere() throws Exception {
        try (MariaDbProcess server = MariaDbProcess.start()) {
            execute(server, "CREATE TABLE kept AS SELECT 42 AS answer");
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
                server.pause();
                assertThat(connection.isValid(1)).isFalse();
                server.resume();
            }
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
                server.kill();
                assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
                        .isInstanceOf(SQLException.class);
            }
            server.restart();
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT answer FROM kept")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(42);
            }
        }
    }

    private static void execute(MariaDbProcess server, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
