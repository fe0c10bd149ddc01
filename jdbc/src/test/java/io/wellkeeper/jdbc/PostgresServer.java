package io.wellkeeper.jdbc;

import static org.awaitility.Awaitility.await;

import io.wellkeeper.testservers.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

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
    public List<String> tables() {
        return List.of("{session}", "{lock}", "{ticket}");
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

    /** Ends the process of one connection of a store as {@code kill -9} does: so the server breaks all, and recovers. */
    void killBackend() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            await().until(() -> killBackend(statement));
            await().until(() -> !connection.isValid(1));
        }
        server.awaitServing();
    }

    private static boolean killBackend(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pid FROM pg_stat_activity"
                + " WHERE application_name = 'wellkeeper' ORDER BY random() LIMIT 1")) {
            return row.next()
                    && ProcessHandle.of(row.getLong(1))
                            .map(ProcessHandle::destroyForcibly)
                            .orElse(false);
        }
    }

    /** Stops the server without a word to anybody, and starts it again, which then recovers. */
    void stopAndStart() {
        server.stopImmediately();
        server.restart();
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
    public void kill() {
        server.kill();
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
