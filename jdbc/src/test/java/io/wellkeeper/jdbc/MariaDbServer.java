package io.wellkeeper.jdbc;

import io.wellkeeper.testservers.MariaDbProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** One MariaDB server; or one of MySQL's, if a system property says where that was unpacked. */
final class MariaDbServer implements Servers {

    private static final String MYSQL = System.getProperty("io.wellkeeper.jdbc.mysql", "");

    private final MariaDbProcess server = start();

    static MariaDbProcess start() {
        return MYSQL.isEmpty() ? MariaDbProcess.start() : MariaDbProcess.startMySql(Path.of(MYSQL));
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public String uri(int port) {
        return server.jdbcUrl(port);
    }

    /** As if it were two servers, so that MariaDB's driver connects again by itself. */
    String uriOfTwoHosts() {
        String hosts = "mariadb:sequential://127.0.0.1:" + port() + ",localhost:" + port();
        return uri(port()).replaceFirst("mariadb://[^/]*", hosts);
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl() + "&allowMultiQueries=true");
    }

    @Override
    public Dialect dialect() {
        return new MariaDb();
    }

    @Override
    public List<String> tables() {
        return List.of("{session}", "{lock}", "{ticket}", "{inbox}");
    }

    @Override
    public String connections() {
        return "SELECT CONCAT(id, ' ', command, ': ', COALESCE(info, '')) FROM information_schema.processlist"
                + " WHERE db = 'wellkeeper' AND id <> CONNECTION_ID()";
    }

    @Override
    public String evict() {
        return "UPDATE {lock} SET queue = CONCAT(' ', SUBSTRING(queue, LOCATE(' ', queue, 2) + 1)) WHERE name = '%1$s';"
                + " DELETE FROM {ticket} WHERE name = '%1$s' ORDER BY number LIMIT 1";
    }

    @Override
    public String past() {
        return "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR";
    }

    @Override
    public void killConnections() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM information_schema.processlist"
                        + " WHERE db = 'wellkeeper' AND id <> CONNECTION_ID() ORDER BY RAND() LIMIT 4")) {
            while (rows.next()) {
                kill(connection, rows.getLong(1));
            }
        }
    }

    private static void kill(Connection connection, long id) {
        try (Statement killer = connection.createStatement()) {
            killer.execute("KILL " + id);
        } catch (SQLException gone) {
            // meanwhile, by itself
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
}
