package io.wellkeeper.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of one dialect over tables of certain names; their parameters have names. Immutable. */
final class Statements {

    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\\R?");
    private static final Pattern PARAMETER = Pattern.compile(":([a-z]+)");

    private final Map<Step, Text> texts = new EnumMap<>(Step.class);

    private record Text(String sql, List<String> parameters) {}

    /**
     * @param dialect the folder of the statements
     * @param tables what the tables are called
     */
    Statements(String dialect, Tables tables) {
        for (Step step : Step.values()) {
            String named = tables.fill(read(dialect, step.file()));
            List<String> parameters = new ArrayList<>();
            Matcher matcher = PARAMETER.matcher(named);
            String sql = matcher.replaceAll(found -> {
                parameters.add(found.group(1));
                return "?";
            });
            texts.put(step, new Text(sql, parameters));
        }
    }

    /** A file of statements without its comments. */
    static String read(String dialect, String file) {
        try (InputStream in = Statements.class.getResourceAsStream(dialect + "/" + file)) {
            String text = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
            return COMMENT.matcher(text).replaceAll("").strip();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Has a step carried out.
     *
     * @param parameters text, numbers and arrays of them, by name; a step need not use them all
     * @return the rows of the last result; empty if that has none
     */
    List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        Text text = Objects.requireNonNull(texts.get(step));
        try (PreparedStatement statement = connection.prepareStatement(text.sql)) {
            int index = 0;
            for (String name : text.parameters) {
                bind(connection, statement, ++index, Objects.requireNonNull(parameters.get(name), name));
            }
            List<Object[]> rows = List.of();
            boolean isRows = statement.execute();
            while (isRows || statement.getUpdateCount() >= 0) {
                rows = isRows ? rows(statement) : List.of();
                isRows = statement.getMoreResults();
            }
            return rows;
        }
    }

    private static void bind(Connection connection, PreparedStatement statement, int index, Object value)
            throws SQLException {
        if (value instanceof String text) {
            statement.setString(index, text);
        } else if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof Integer number) {
            statement.setInt(index, number);
        } else if (value instanceof String[] texts) {
            statement.setArray(index, connection.createArrayOf("text", texts));
        } else if (value instanceof Long[] numbers) {
            statement.setArray(index, connection.createArrayOf("bigint", numbers));
        } else {
            throw new IllegalArgumentException("no parameter of a statement: " + value.getClass());
        }
    }

    private static List<Object[]> rows(PreparedStatement statement) throws SQLException {
        List<Object[]> rows = new ArrayList<>();
        try (ResultSet result = statement.getResultSet()) {
            int width = result.getMetaData().getColumnCount();
            while (result.next()) {
                Object[] row = new Object[width];
                for (int i = 0; i < width; i++) {
                    row[i] = result.getObject(i + 1);
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
