package io.wellkeeper.jdbc;

import io.wellkeeper.testkit.process.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One PostgreSQL server. */
final class PostgresServer implements Servers {

    private final PostgresProcess server = PostgresProcess.start();

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public String uri(int port) {
        return server.jdbcUrl(port);
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl());
    }

    @Override
    public Dialect dialect() {
        return new PostgreSql();
    }

    @Override
    public String connections() {
        return "SELECT application_name || ': ' || query FROM pg_stat_activity"
                + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    }

    @Override
    public String past() {
        return "clock_timestamp() - interval '1 hour'";
    }

    @Override
    public void killConnections() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'wellkeeper' ORDER BY random() LIMIT 4");
        }
    }

    @Override
    public void pause() {
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Since when somebody waits for a row; empty if nobody does. */
    static String blocked(Statement statement) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("SELECT coalesce(max(waitstart)::text, '') FROM pg_locks WHERE NOT granted")) {
            return row.next() ? row.getString(1) : "";
        }
    }
}
