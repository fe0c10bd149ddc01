package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is deleted of a database in use, as by somebody who takes what is beside it for what a crash has left. */
class SqliteFileTest {

    @TempDir
    private Path folder;

    private Path path;

    @BeforeEach
    void make() throws SQLException {
        path = folder.resolve("locks.db");
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("CREATE TABLE some (number INTEGER)");
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + path);
    }

    private void delete(String end) throws Exception {
        Files.delete(Path.of(path + end));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-wal", "-shm"})
    void check_oneOfTheFilesIsDeleted_fails(String end) throws Exception {
        try (Connection connection = connect()) {
            SqliteFile file = SqliteFile.of(connection);
            file.check();

            delete(end);

            assertThatThrownBy(file::check).isInstanceOf(SQLException.class).hasMessageContaining(path.toString());
        }
    }

    @Test
    void of_anotherConnectionOfThisProcessHasADeletedIndex_thatIsBrokenAndTheNextOneIsGood() throws Exception {
        try (Connection old = connect();
                Connection good = connect()) {
            SqliteFile.of(good);
            good.close();
            SqliteFile.of(old);
            delete("-shm");

            assertBrokenByTheNextOne(old);
        }
    }

    private void assertBrokenByTheNextOne(Connection old) throws SQLException {
        try (Connection fresh = connect()) {
            assertThatThrownBy(() -> SqliteFile.of(fresh)).hasMessageContaining("was deleted");
        }
        assertThat(old.isClosed()).isTrue();
        try (Connection next = connect()) {
            SqliteFile.of(next).check();
            assertThat(Path.of(path + "-shm")).exists();
        }
    }

    /** One of the application's own, of which nobody here knows. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void of_unknownConnectionOfThisProcessHasADeletedIndex_failsAsLongAsThatIsOpen() throws Exception {
        try (Connection unknown = connect();
                Connection fresh = connect()) {
            read(unknown);
            delete("-shm");
            Files.createFile(Path.of(path + "-shm")); // by another process, which begins anew

            assertThatThrownBy(() -> SqliteFile.of(fresh)).hasMessageContaining("was deleted");
        }
        try (Connection next = connect()) {
            SqliteFile.of(next).check();
        }
    }

    @Test
    void of_filesBesideAreDeletedBeforeTheyAreLookedAt_fails() throws Exception {
        try (Connection connection = connect()) {
            read(connection);
            delete("-wal");

            assertThatThrownBy(() -> SqliteFile.of(connection)).hasMessageContaining("was deleted");
        }
    }

    private static void read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT number FROM some").close();
        }
    }

    /** Its index tells of what was in the log that was deleted, and not in the one that a reader would make. */
    @Test
    void of_anotherConnectionOfThisProcessHasADeletedLog_thatIsBrokenBeforeAnythingIsRead() throws Exception {
        try (Connection old = connect();
                Statement statement = old.createStatement()) {
            SqliteFile.of(old);
            statement.execute("CREATE TABLE another (number INTEGER)");
            delete("-wal");

            assertBrokenByTheNextOne(old);
        }
    }

    @Test
    void of_byASymbolicLink_isThatOfTheDatabase() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link.db"), path);
        try (Connection direct = connect();
                Connection linked = DriverManager.getConnection("jdbc:sqlite:" + link)) {
            SqliteFile file = SqliteFile.of(linked);
            assertThat(file).isEqualTo(SqliteFile.of(direct));
            assertThat(file.index()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"})
    void check_databaseWithoutALog_isSound(String mode) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path + "?journal_mode=" + mode);
                Statement statement = connection.createStatement()) {
            SqliteFile file = SqliteFile.of(connection);
            statement.execute("INSERT INTO some VALUES (1)");

            file.check();

            assertThat(file.log()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:sqlite::memory:", "jdbc:sqlite:", "jdbc:sqlite:file:shared?mode=memory&cache=shared"})
    void check_databaseThatIsNoFile_isSound(String uri) throws Exception {
        try (Connection connection = DriverManager.getConnection(uri)) {
            SqliteFile.of(connection).check();
        }
    }

    @Test
    void of_allIsThere_breaksNobody() throws Exception {
        try (Connection one = connect();
                Connection other = connect()) {
            SqliteFile first = SqliteFile.of(one);
            assertThat(SqliteFile.of(other)).isEqualTo(first);
            first.check();
            assertThat(one.isClosed()).isFalse();
        }
    }
}
