package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.stream.Collectors;

/** Carries steps out, each in one transaction that waits for its turn to write before it reads anything. */
final class SqliteSteps implements Steps {

    private static final String NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

    private final Map<Step, List<Script>> scripts = new EnumMap<>(Step.class);
    private final Map<Connection, SqliteFile> files = Collections.synchronizedMap(new WeakHashMap<>());

    SqliteSteps(Tables tables) {
        for (Step step : Step.values()) {
            scripts.put(step, scripts(step.file(), tables));
        }
    }

    private static List<Script> scripts(String file, Tables tables) {
        String text = Script.read(Sqlite.FOLDER, file, tables).replace("{now}", NOW);
        return Arrays.stream(text.split(Script.END_OF_STATEMENT))
                .map(Script::parse)
                .toList();
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        files.put(connection, SqliteFile.of(connection));
    }

    @Override
    public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        return inTransaction(connection, () -> rows(connection, step, parameters));
    }

    @Override
    public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
        return inTransaction(
                connection,
                () -> new Both(rows(connection, Step.REMOVE, parameters), rows(connection, Step.TAKE, parameters)));
    }

    private <T> T inTransaction(Connection connection, Sqlite.Work<T> work) throws SQLException {
        Sqlite.inTurn(() -> execute(connection, "BEGIN IMMEDIATE"));
        try {
            SqliteFile file = files.get(connection);
            if (file != null) {
                file.check();
            }
            T result = work.run();
            execute(connection, "COMMIT");
            return result;
        } catch (SQLException failure) {
            try {
                execute(connection, "ROLLBACK");
            } catch (SQLException closed) {
                failure.addSuppressed(closed);
            }
            throw failure;
        }
    }

    private List<Object[]> rows(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        List<Object[]> rows = List.of();
        for (Script script : Objects.requireNonNull(scripts.get(step))) {
            rows = run(connection, script, parameters);
        }
        return rows;
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }

    private static List<Object[]> run(Connection connection, Script script, Map<String, ?> parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(script.sql())) {
            int index = 0;
            for (String name : script.parameters()) {
                Object value = Objects.requireNonNull(parameters.get(name), name);
                statement.setObject(++index, value instanceof Object[] array ? json(array) : value);
            }
            return statement.execute() ? rows(statement) : List.of();
        }
    }

    private static List<Object[]> rows(PreparedStatement statement) throws SQLException {
        List<Object[]> rows = new ArrayList<>();
        try (ResultSet result = statement.getResultSet()) {
            int width = result.getMetaData().getColumnCount();
            while (result.next()) {
                Object[] row = new Object[width];
                for (int i = 0; i < width; i++) {
                    row[i] = number(result.getObject(i + 1));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** Makes every number a {@code Long}. No step returns a null. */
    private static Object number(Object value) {
        return value instanceof Integer number ? number.longValue() : value;
    }

    private static String json(Object[] array) {
        return Arrays.stream(array)
                .map(one -> one instanceof Long ? one.toString() : quoted(one.toString()))
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            quoted.append(each < ' ' || each == '"' || each == '\\' ? String.format("\\u%04x", (int) each) : "" + each);
        }
        return quoted.append('"').toString();
    }
}
