package io.wellkeeper.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The statements over a table of leases, by dialect; their parameters have names. Immutable.
 *
 * <p>The statement that acquires returns a number other than 0 if the owner has the lock.
 */
final class LeaseTableLayout {

    private static final Pattern NAME = Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,62}");

    private static final int ASCII = 0x80;

    private final String kind;
    private final String table;
    private final boolean ours;
    private final String end;
    private final Map<LeaseTableDialect, Map<LeaseTableStep, Script>> scripts = new EnumMap<>(LeaseTableDialect.class);

    /**
     * @param kind the folder of the statements
     * @param table what the table is called, with its schema or without
     * @param ours whether it is Wellkeeper's own, and made if it is missing
     * @param end the column with the time until which a lock is held
     * @throws IllegalArgumentException if the table's name needs quotes
     */
    LeaseTableLayout(String kind, String table, boolean ours, String end) {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "table name '" + table
                            + "' is not made of letters, digits and '_', with no digit in front, and one '.' behind the schema");
        }
        this.kind = kind;
        this.table = table;
        this.ours = ours;
        this.end = end;
        for (LeaseTableDialect dialect : LeaseTableDialect.values()) {
            if (!ours && dialect == LeaseTableDialect.SQLITE) {
                continue; // the others' libraries know no time there
            }
            Map<LeaseTableStep, Script> steps = new EnumMap<>(LeaseTableStep.class);
            for (LeaseTableStep step : LeaseTableStep.values()) {
                steps.put(step, Script.parse(read(dialect, step.file())));
            }
            scripts.put(dialect, steps);
        }
    }

    private String read(LeaseTableDialect dialect, String file) {
        return Script.read(kind + "/" + dialect.folder(), file).replace("{table}", table);
    }

    /** Whether the table is made if it is missing. */
    boolean isOurs() {
        return ours;
    }

    /** The statement that makes the table if it is missing. */
    String schema(LeaseTableDialect dialect) {
        return read(dialect, "schema.sql");
    }

    /** Makes the table if it is missing. */
    void createTable(Connection connection, LeaseTableDialect dialect) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(schema(dialect));
        }
    }

    /**
     * The microseconds that the table may cut off a time, or add to it by rounding: others may have made the table so
     * that it keeps whole seconds. Zero if the table keeps milliseconds, for which the validity of a lease allows
     * anyway.
     */
    long grain(Connection connection, LeaseTableDialect dialect) throws SQLException {
        if (ours || dialect == LeaseTableDialect.SQLITE) {
            return 0;
        }
        return switch (dialect.digits(connection, table, end)) {
            case 0 -> 1_000_000;
            case 1 -> 100_000;
            case 2 -> 10_000;
            default -> 0;
        };
    }

    /**
     * Has a step carried out.
     *
     * @param carriesAnyText whether the connection carries any text unchanged to a table that is not Wellkeeper's
     * @param briefly whether the step is given up soon if others have the row
     * @param parameters text and numbers, by name; a step need not use them all
     * @return the number that the statement gives, or how many rows it has changed
     */
    long run(
            Connection connection,
            LeaseTableDialect dialect,
            boolean carriesAnyText,
            LeaseTableStep step,
            boolean briefly,
            Map<String, ?> parameters)
            throws SQLException {
        Map<LeaseTableStep, Script> steps = scripts.get(dialect);
        if (steps == null) {
            throw new SQLException("this kind of table is not served over " + dialect, "0A000");
        }
        Script script = Objects.requireNonNull(steps.get(step));
        boolean asksForNumber = step == LeaseTableStep.ACQUIRE;
        String sql = briefly ? dialect.briefly(script.sql()) : script.sql();
        try (PreparedStatement statement = dialect.prepare(connection, sql, asksForNumber)) {
            int index = 0;
            for (String name : script.parameters()) {
                Object value = Objects.requireNonNull(parameters.get(name), name);
                if (value instanceof Long number) {
                    statement.setLong(++index, number);
                } else if (ours && dialect == LeaseTableDialect.MARIADB) { // where names are bytes
                    statement.setBytes(++index, ((String) value).getBytes(StandardCharsets.UTF_8));
                } else {
                    String text = (String) value;
                    if (!carriesAnyText && !text.chars().allMatch(each -> each < ASCII)) {
                        LeaseTableDialect.checkCarried(connection, text);
                    }
                    statement.setString(++index, text);
                }
            }
            if (statement.execute()) {
                return number(statement.getResultSet());
            }
            return asksForNumber ? number(statement.getGeneratedKeys()) : statement.getUpdateCount();
        }
    }

    /**
     * Reads all rows: SQLite commits behind the last row, and its driver does not report a failure of the commit if the
     * result is closed before.
     */
    private static long number(ResultSet rows) throws SQLException {
        long number = 0;
        try (rows) {
            while (rows.next()) {
                number = rows.getLong(1);
            }
        }
        return number;
    }
}
