package io.wellkeeper.jdbc;

import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** Each database once for all tests of a JVM. */
enum RealDatabase implements PlainDataSource {
    POSTGRESQL("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") {
        @Override
        String start() {
            PostgresProcess server = PostgresProcess.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            return server.jdbcUrl();
        }
    },
    MARIADB("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") {
        @Override
        String start() {
            MariaDbProcess server = MariaDbServer.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            return server.jdbcUrl();
        }
    },
    SQLITE("SELECT 0") {
        @Override
        String start() {
            try {
                Path file = Files.createTempFile("wellkeeper-", ".sqlite");
                file.toFile().deleteOnExit();
                return "jdbc:sqlite:" + file + "?busy_timeout=15000&journal_mode=WAL";
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    };

    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private final String waiting;
    private volatile String url = "";

    RealDatabase(String waiting) {
        this.waiting = waiting;
    }

    abstract String start();

    private synchronized String url() {
        if (url.isEmpty()) {
            url = start();
        }
        return url;
    }

    /** For tables of a test's own. */
    static String prefix() {
        return "t" + PREFIXES.incrementAndGet() + "_";
    }

    @Override
    public Connection getConnection() throws SQLException {
        return DriverManager.getConnection(url());
    }

    int port() {
        return Integer.parseInt(url().replaceFirst(".*//[^:/]*:", "").replaceFirst("/.*", ""));
    }

    /** Of a store, by what its URIs begin with, through a port. */
    String uri(String scheme, int port) {
        return url().replaceFirst("jdbc:", scheme).replaceFirst(":[0-9]+/", ":" + port + "/");
    }

    /** Through another port, such as that of a proxy. */
    Connection through(int port) throws SQLException {
        return DriverManager.getConnection(url().replaceFirst(":[0-9]+/", ":" + port + "/"));
    }

    /** A connection with a transaction. */
    Connection begin() throws SQLException {
        Connection connection = getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) {
        try (Connection connection = getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** How many transactions wait for a lock of another. */
    long waiting() {
        return number(waiting);
    }
}
