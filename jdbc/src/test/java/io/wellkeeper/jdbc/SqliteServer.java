package io.wellkeeper.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A file, where others have a server. */
final class SqliteServer implements Servers {

    private final Path folder;
    private final List<Wire> wires = new CopyOnWriteArrayList<>();
    private volatile boolean silent;

    SqliteServer() {
        try {
            folder = Files.createTempDirectory("wellkeeper-sqlite");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public String uri(int unused) {
        return "jdbc:sqlite:" + folder.resolve("locks.db") + "?journal_mode=WAL&synchronous=NORMAL";
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(uri(0));
    }

    @Override
    public Dialect dialect() {
        return new Sqlite();
    }

    @Override
    public List<String> tables() {
        return List.of("{session}", "{lock}", "{ticket}", "{watch}", "{inbox}");
    }

    @Override
    public String connections() {
        return "SELECT 'unknown' WHERE false";
    }

    @Override
    public String changes() {
        return "SELECT CONCAT(number, ':', generation) FROM {ticket} ORDER BY name, number";
    }

    @Override
    public String watches() {
        return "SELECT CONCAT(name, ' ', number, ' by ', session) FROM {watch}";
    }

    @Override
    public String past() {
        return "0";
    }

    @Override
    public Wire wire(Tables tables) {
        Wire wire = new SqliteWire(this, tables, () -> silent);
        wires.add(wire);
        return wire;
    }

    @Override
    public void killConnections() {
        wires.forEach(Wire::cut);
    }

    @Override
    public void pause() {
        silent = true;
    }

    @Override
    public void resume() {
        silent = false;
    }

    @Override
    public void kill() {
        wires.forEach(wire -> wire.refuse(true));
        killConnections();
    }

    @Override
    public void restart() {
        wires.forEach(wire -> wire.refuse(false));
        killConnections();
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.delete(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
