package io.wellkeeper.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A file that SQLite keeps a database in: nothing listens, so nothing can be broken. */
final class SqliteFile implements Servers {

    private final Path directory;

    SqliteFile() {
        try {
            directory = Files.createTempDirectory("wellkeeper-sqlite-");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public String uri(int port) {
        return "jdbc:sqlite:" + directory.resolve("database") + "?journal_mode=WAL";
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(uri(0) + "&busy_timeout=5000");
    }

    @Override
    public Dialect dialect() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String connections() {
        return "SELECT 'none' WHERE false";
    }

    @Override
    public String past() {
        return "0";
    }

    @Override
    public void killConnections() {
        Assumptions.abort("there is nothing that could be killed");
    }

    @Override
    public void pause() {
        Assumptions.abort("there is nothing that could be paused");
    }

    @Override
    public void resume() {}

    @Override
    public void restart() {
        Assumptions.abort("there is nothing that could be restarted");
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
