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

            try (Connection fresh = connect()) {
                assertThatThrownBy(() -> SqliteFile.of(fresh)).hasMessageContaining("was deleted");
            }
            assertThat(old.isClosed()).isTrue();
            try (Connection next = connect()) {
                SqliteFile.of(next).check();
                assertThat(Path.of(path + "-shm")).exists();
            }
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
