package io.wellkeeper.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The file that a connection to SQLite has open. SQLite does not notice when it is deleted, or another one put in its place:
 * who has opened the one and who opens the other would never hear of each other.
 *
 * @param path where it was
 * @param key what the file system knows it by; null if it knows of no such thing
 */
record SqliteFile(Path path, @Nullable Object key) {

    /** Of a connection that was just made. */
    static SqliteFile of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet files = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
            Path path = Path.of(files.next() ? files.getString(1) : "");
            return new SqliteFile(path, key(path));
        }
    }

    /**
     * Makes sure that others who open it get the same one.
     *
     * @throws SQLException if it is gone, or was replaced
     */
    void check() throws SQLException {
        if (!Objects.equals(key, key(path))) {
            throw new SQLException("another file is at " + path + " now");
        }
    }

    private static @Nullable Object key(Path path) throws SQLException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (IOException gone) {
            throw new SQLException("there is no file at " + path + " any more", gone);
        }
    }
}
