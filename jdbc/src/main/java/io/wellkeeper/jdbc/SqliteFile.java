package io.wellkeeper.jdbc;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The files that a connection to SQLite has open: the database, and beside it the write-ahead log with its index.
 * SQLite does not notice when one is deleted or replaced: clients of the old file and clients of the new one would
 * never hear of each other.
 *
 * @param path where the database was
 * @param key by which the file system knows the database; null if the file system has no such keys
 * @param log the key of the write-ahead log; null also if there was none
 * @param index the key of the log's index; null also if there was none
 */
record SqliteFile(
        Path path,
        @Nullable Object key,
        @Nullable Object log,
        @Nullable Object index) {

    private static final String LOG = "-wal";
    private static final String INDEX = "-shm";
    private static final Path OPEN_FILES = Path.of("/proc/self/fd"); // of this process, on Linux

    private static final String CLAIM = "io.wellkeeper.sqlite:"; // and the path

    private static final ReentrantLock LOCK = new ReentrantLock(); // guards the maps
    private static final Map<Connection, SqliteFile> OPEN = new WeakHashMap<>();
    private static final Map<Connection, String> CLAIMS = new WeakHashMap<>();

    /**
     * The files of a connection that was just made. Within a process SQLite opens the index once for all connections.
     * It gives a new connection an index that was deleted, as long as another connection has that index open. So
     * connections with deleted files are broken first.
     *
     * @throws SQLException also if this connection has the deleted index, or may have got it before the others were
     *     broken
     */
    static SqliteFile of(Connection connection) throws SQLException {
        Path path = path(connection);
        claim(connection, path);
        if (breakThoseOfDeleted(at(path))) {
            throw deleted(path);
        }
        boolean isLogged = open(connection);
        SqliteFile file = at(path);
        if (isDeletedIndexOpen(path) || isLogged && file.key != null && file.log == null) {
            throw deleted(path);
        }
        LOCK.lock();
        try {
            OPEN.put(connection, file);
        } finally {
            LOCK.unlock();
        }
        return file;
    }

    /**
     * Claims a file for the copy of SQLite that a connection uses. Applications of one process may have a copy of
     * SQLite each, by class loaders of their own. The locks of files belong to the process, so the copies would not
     * exclude each other, and would damage the file. Claims are kept in the system properties, which all class loaders
     * share.
     *
     * @throws SQLException if there are connections of another copy
     */
    private static void claim(Connection connection, Path path) throws SQLException {
        Connection driver = connection.unwrap(Connection.class);
        if (path.toString().isEmpty() || !driver.getClass().getName().startsWith("org.sqlite.")) {
            return; // the database is in memory, or a pool does not show the driver's connection
        }
        String copy = System.identityHashCode(driver.getClass()) + " ";
        LOCK.lock();
        try {
            if (CLAIMS.containsKey(connection)) {
                return;
            }
            Object claim = System.getProperties()
                    .merge(
                            CLAIM + path,
                            copy + 1,
                            (before, one) -> (before + "").startsWith(copy) ? add(before, 1) : before);
            if (!(claim + "").startsWith(copy)) {
                throw new SQLException(
                        "another application in this process uses " + path
                                + " with an SQLite driver of its own: the two would not see each other's locks, and damage"
                                + " the file; have the class loader that they share load the driver",
                        "0A000");
            }
            CLAIMS.put(connection, CLAIM + path);
        } finally {
            LOCK.unlock();
        }
    }

    /** The claim with one connection more or less; null if none is left. */
    private static @Nullable Object add(Object claim, int number) {
        String[] parts = claim.toString().split(" ");
        int sum = Integer.parseInt(parts[1]) + number;
        return sum == 0 ? null : parts[0] + " " + sum;
    }

    /** Takes back the claim of a connection that is closed, if it has one. */
    static void forget(Connection connection) {
        LOCK.lock();
        try {
            String claim = CLAIMS.remove(connection);
            if (claim != null) {
                System.getProperties().computeIfPresent(claim, (unused, before) -> add(before, -1));
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Makes SQLite open all files, and says whether there is a log. */
    private static boolean open(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT 1 FROM sqlite_master LIMIT 0").close();
            try (ResultSet mode = statement.executeQuery("PRAGMA journal_mode")) {
                return mode.next() && mode.getString(1).equals("wal");
            }
        }
    }

    private static SQLException deleted(Path path) {
        return new SQLException("a file beside " + path + " was deleted while this process used it");
    }

    /**
     * The path of the database. This opens only the database; a query of {@code pragma_database_list} would open the
     * files beside it, too.
     */
    private static Path path(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet files =
                        statement.executeQuery("PRAGMA database_list")) { // the first is the one that is connected to
            return Path.of(files.next() ? files.getString("file") : "");
        }
    }

    /** The files that are there now. */
    private static SqliteFile at(Path path) throws SQLException {
        try {
            return new SqliteFile(path, key(path), beside(path, LOG), beside(path, INDEX));
        } catch (NoSuchFileException gone) {
            throw new SQLException("there is no file at " + path + " any more", gone);
        } catch (IOException unreadable) {
            throw new SQLException("the files at " + path + " cannot be looked at", unreadable);
        }
    }

    private static @Nullable Object beside(Path path, String end) throws IOException {
        try {
            return key(Path.of(path + end));
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    private static @Nullable Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Breaks the connections that have deleted files open; returns whether there were any. */
    private static boolean breakThoseOfDeleted(SqliteFile now) throws SQLException {
        List<Connection> stale = new ArrayList<>();
        LOCK.lock();
        try {
            for (Map.Entry<Connection, SqliteFile> each : OPEN.entrySet()) {
                SqliteFile file = each.getValue();
                if (file.path.equals(now.path)
                        && Objects.equals(file.key, now.key)
                        && !file.hasTheSameBeside(now)
                        && !each.getKey().isClosed()) {
                    stale.add(each.getKey());
                }
            }
            OPEN.keySet().removeAll(stale);
        } finally {
            LOCK.unlock();
        }
        stale.forEach(Requests::abort);
        return !stale.isEmpty();
    }

    /**
     * Whether this process has an index open that was deleted, and not the present one: a connection that is not known
     * here may have it open, such as one of the application's own. False where the system does not show it.
     */
    private static boolean isDeletedIndexOpen(Path path) {
        List<String> open = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(OPEN_FILES)) {
            for (Path each : all) {
                open.add(target(each));
            }
        } catch (IOException | DirectoryIteratorException notShown) {
            return false;
        }
        return open.contains(path + INDEX + " (deleted)") && !open.contains(path + INDEX);
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closed) { // the file was closed meanwhile
            return "";
        }
    }

    /**
     * Makes sure that clients that open the files now get the same files.
     *
     * @throws SQLException if one is gone, or was replaced
     */
    void check() throws SQLException {
        SqliteFile now = at(path);
        if (!Objects.equals(key, now.key)) {
            throw new SQLException("another file is at " + path + " now");
        }
        if (!hasTheSameBeside(now)) {
            throw new SQLException("a file beside " + path + " was deleted or replaced");
        }
    }

    /**
     * Whether the files beside the database are the same: they stay there as long as somebody has the database open.
     */
    private boolean hasTheSameBeside(SqliteFile now) {
        return (log == null || log.equals(now.log)) && (index == null || index.equals(now.index));
    }
}
