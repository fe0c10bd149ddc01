package io.wellkeeper.jdbc;

import io.wellkeeper.testkit.process.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

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
}
