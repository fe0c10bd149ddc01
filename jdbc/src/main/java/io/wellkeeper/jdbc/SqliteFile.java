package io.wellkeeper.jdbc;

import java.io.IOException;
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
 * The files that a connection to SQLite has open: the database, and beside it the write-ahead log with its index. SQLite does
 * not notice when one is deleted, or another one put in its place: who has opened the one and who opens the other would never
 * hear of each other.
 *
 * @param path where the database was
 * @param key what the file system knows it by; null if it knows of no such thing
 * @param log likewise; null also if there was none
 * @param index likewise
 */
record SqliteFile(
        Path path,
        @Nullable Object key,
        @Nullable Object log,
        @Nullable Object index) {

    private static final String LOG = "-wal";
    private static final String INDEX = "-shm";

    private static final ReentrantLock LOCK = new ReentrantLock(); // guards the map
    private static final Map<Connection, SqliteFile> OPEN = new WeakHashMap<>();

    /**
     * Of a connection that was just made. Within a process SQLite opens the index once for all connections, and would take a
     * deleted one for good as long as one of them has it open: such connections are broken.
     *
     * @throws SQLException also if there were such, of which this one may have got the index: then it is of no use either
     */
    static SqliteFile of(Connection connection) throws SQLException {
        Path path = path(connection);
        if (breakThoseOfDeleted(path)) {
            throw new SQLException("a file beside " + path + " was deleted while it was in use");
        }
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT 1 FROM sqlite_master LIMIT 0").close(); // opens them all
        }
        SqliteFile file = new SqliteFile(path, key(path), beside(path, LOG), beside(path, INDEX));
        LOCK.lock();
        try {
            OPEN.put(connection, file);
        } finally {
            LOCK.unlock();
        }
        return file;
    }

    private static Path path(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet files = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
            return Path.of(files.next() ? files.getString(1) : "");
        }
    }

    private static boolean breakThoseOfDeleted(Path path) throws SQLException {
        Object current = key(path);
        List<Connection> stale = new ArrayList<>();
        LOCK.lock();
        try {
            for (Map.Entry<Connection, SqliteFile> each : OPEN.entrySet()) {
                SqliteFile file = each.getValue();
                if (Objects.equals(file.key, current)
                        && file.path.equals(path)
                        && !each.getKey().isClosed()
                        && file.hasLostWhatIsBeside()) {
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
     * Makes sure that others who open them get the same ones.
     *
     * @throws SQLException if one is gone, or was replaced
     */
    void check() throws SQLException {
        if (!Objects.equals(key, key(path))) {
            throw new SQLException("another file is at " + path + " now");
        }
        if (hasLostWhatIsBeside()) {
            throw new SQLException("a file beside " + path + " was deleted or replaced");
        }
    }

    /** They stay as long as somebody has them open. */
    private boolean hasLostWhatIsBeside() throws SQLException {
        return (log != null && !log.equals(beside(path, LOG))) || (index != null && !index.equals(beside(path, INDEX)));
    }

    private static @Nullable Object key(Path path) throws SQLException {
        try {
            return keyOf(path);
        } catch (IOException gone) {
            throw new SQLException("there is no file at " + path + " any more", gone);
        }
    }

    private static @Nullable Object beside(Path path, String end) throws SQLException {
        try {
            return keyOf(Path.of(path + end));
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException unreadable) {
            throw new SQLException("the file " + path + end + " cannot be read", unreadable);
        }
    }

    private static @Nullable Object keyOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
