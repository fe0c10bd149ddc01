package io.wellkeeper.jdbc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.io.ClassPathResource;

/** The tables of ShedLock and of Spring Integration, as these want them, once on each server. */
final class LibraryTables {

    private static final Pattern INT_LOCK = Pattern.compile("CREATE TABLE (INT_LOCK .*?);", Pattern.DOTALL);

    private LibraryTables() {}

    /** Makes ShedLock's table, as its documentation says. */
    static void shedLock(Servers server) {
        shedLock(server, "shedlock", isPostgres(server) ? "TIMESTAMP" : "TIMESTAMP(3)");
    }

    /** Makes one for ShedLock that keeps whole seconds, as who says no more than {@code TIMESTAMP} gets it in MariaDB. */
    static void shedLockOfSeconds(Servers server, String table) {
        shedLock(server, table, "TIMESTAMP(0)");
    }

    private static void shedLock(Servers server, String table, String timestamp) {
        create(
                server,
                table + "(name VARCHAR(64) NOT NULL, lock_until " + timestamp + " NOT NULL, locked_at " + timestamp
                        + " NOT NULL DEFAULT " + timestamp.replace("TIMESTAMP", "CURRENT_TIMESTAMP")
                        + ", locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))");
    }

    /** Makes Spring Integration's table, by its own script. */
    static void intLock(Servers server) {
        String script =
                "org/springframework/integration/jdbc/schema-" + (isPostgres(server) ? "postgresql" : "mysql") + ".sql";
        try {
            Matcher table = INT_LOCK.matcher(new ClassPathResource(script).getContentAsString(StandardCharsets.UTF_8));
            if (!table.find()) {
                throw new AssertionError(script + " has no such table");
            }
            create(server, table.group(1));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static boolean isPostgres(Servers server) {
        return server instanceof PostgresServer;
    }

    private static void create(Servers server, String table) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS " + table);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }
}
