package io.wellkeeper.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The locks that a database has for its sessions. Each statement compares the mark that this client has put on its
 * session, and does nothing in another session that a pooler, or a driver that connects again, has put in its place.
 */
enum NativeDialect {
    /** 14 or later. A lock is a number of 64 bits. */
    POSTGRESQL(
            "current_setting('wellkeeper.session', true) = ?",
            "CAST(pg_try_advisory_lock(CAST(? AS bigint)) AS int)",
            "CAST(pg_advisory_unlock(CAST(? AS bigint)) AS int)",
            "SELECT COALESCE(current_setting('wellkeeper.session', true), ''), pg_is_in_recovery()") {
        @Override
        String key(String name) {
            return NUMBER.matcher(name).matches() && String.valueOf(parse(name)).equals(name)
                    ? name
                    : String.valueOf(ByteBuffer.wrap(sha256(name)).getLong());
        }

        @Override
        void mark(Connection connection, String mark) throws SQLException {
            set(connection, "SELECT set_config('wellkeeper.session', ?, false)", mark);
        }

        @Override
        void limit(Connection connection, Duration silence) throws SQLException {
            String millis = String.valueOf(silence.toMillis());
            set(connection, "SELECT set_config('idle_session_timeout', ?, false)", millis);
            for (String wish : new String[] {"tcp_user_timeout", "client_connection_check_interval"}) {
                try {
                    set(connection, "SELECT set_config('" + wish + "', ?, false)", millis);
                } catch (SQLException refused) {
                    if (!NOT_ON_THIS_PLATFORM.equals(refused.getSQLState())) {
                        throw refused;
                    }
                }
            }
        }
    },
    /** MariaDB and MySQL. A lock is a name, in which the case of letters does not count. */
    MARIADB(
            "@wellkeeper_session = ?",
            "GET_LOCK(?, 0)",
            "RELEASE_LOCK(?)",
            "SELECT COALESCE(@wellkeeper_session, ''), CAST(@@global.read_only AS CHAR)") {
        @Override
        String key(String name) {
            return PLAIN.matcher(name).matches()
                    ? name
                    : HASHED + HexFormat.of().formatHex(sha256(name), 0, BYTES_OF_HASH);
        }

        @Override
        void mark(Connection connection, String mark) throws SQLException {
            set(connection, "SET @wellkeeper_session = ?", mark);
        }

        @Override
        void limit(Connection connection, Duration silence) throws SQLException {
            try (var statement = connection.createStatement()) {
                statement.execute("SET SESSION wait_timeout = "
                        + silence.plus(ALMOST_A_SECOND).toSeconds());
            }
        }
    };

    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,19}");
    private static final Pattern PLAIN = Pattern.compile("[!-@\\[-~]{1,64}"); // visible ASCII, without capitals
    private static final String HASHED = "wellkeeper:";
    private static final int BYTES_OF_HASH = 26;
    private static final Duration ALMOST_A_SECOND = Duration.ofNanos(999_999_999);
    private static final String NOT_ON_THIS_PLATFORM = "22023";

    private final String lock;
    private final String unlock;
    private final String pulse;
    private final String look;

    NativeDialect(String condition, String lock, String unlock, String look) {
        this.lock = "SELECT CASE WHEN " + condition + " THEN " + lock + " END";
        this.unlock = "SELECT CASE WHEN " + condition + " THEN " + unlock + " END";
        this.pulse = "SELECT CASE WHEN " + condition + " THEN 1 END";
        this.look = look;
    }

    /** The dialect of the server that a connection leads to. */
    static NativeDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            default -> throw new SQLException("no locks of sessions are known here for " + product, "0A000");
        };
    }

    /** What the database calls a lock. */
    abstract String key(String name);

    /** Marks the session as this client's. */
    abstract void mark(Connection connection, String mark) throws SQLException;

    /** Has the server end the session once the session has been silent for so long, or a little longer. */
    abstract void limit(Connection connection, Duration silence) throws SQLException;

    /**
     * Refuses a server that is a replica, and a session that somebody else goes on using.
     *
     * @throws SQLException that says which of the two it is
     */
    void check(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(look);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (!row.getString(1).isEmpty()) {
                throw notOurs();
            }
            String readOnly = row.getString(2);
            if (!"0".equals(readOnly) && !"OFF".equals(readOnly) && !"f".equals(readOnly)) {
                throw new SQLException("the server is a read-only replica", "25006");
            }
        }
    }

    boolean tryLock(Connection connection, String mark, String key) throws SQLException {
        return answer(connection, lock, mark, key);
    }

    boolean unlock(Connection connection, String mark, String key) throws SQLException {
        return answer(connection, unlock, mark, key);
    }

    /** Finds out whether the session is still there. */
    void pulse(Connection connection, String mark) throws SQLException {
        answer(connection, pulse, mark);
    }

    private static boolean answer(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                int answer = row.next() ? row.getInt(1) : 0;
                if (row.wasNull()) {
                    throw notOurs();
                }
                return answer == 1;
            }
        }
    }

    /**
     * The failure where the session is another one, or shared: a request for a lock is refused, as waiting cannot help.
     */
    static SQLException notOurs() {
        return new SQLException(
                "the session is not this client's alone, or its locks are gone; connect past the pooler, if there is one",
                "0A000");
    }

    private static void set(Connection connection, String sql, String value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, value);
            statement.execute();
        }
    }

    private static long parse(String number) {
        try {
            return Long.parseLong(number);
        } catch (NumberFormatException tooLarge) {
            return 0;
        }
    }

    private static byte[] sha256(String name) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException("every Java platform has SHA-256", never);
        }
    }
}
