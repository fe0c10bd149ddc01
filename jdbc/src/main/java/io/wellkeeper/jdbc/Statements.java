package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The statements of one dialect over tables of certain names; their parameters have names. Immutable. */
final class Statements implements Steps {

    private static final String UNFORCED = "set_config('synchronous_commit', 'off', true)";

    private final Map<Step, Script> scripts = new EnumMap<>(Step.class);
    private final Script exchange;
    private final int removed; // which of the results of the exchange

    /**
     * @param dialect the folder of the statements
     * @param tables what the tables are called
     */
    Statements(String dialect, Tables tables) {
        for (Step step : Step.values()) {
            scripts.put(
                    step, Script.parse(Script.read(dialect, step.file(), tables).replace("{unforced}", UNFORCED)));
        }
        String removal = Script.read(dialect, Step.REMOVE.file(), tables).replace("{unforced}", "1");
        exchange = Script.parse(removal + ";\n" + Script.read(dialect, Step.TAKE.file(), tables));
        removed = removal.split(Script.END_OF_STATEMENT).length - 1;
    }

    @Override
    public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        List<List<Object[]>> results = run(connection, Objects.requireNonNull(scripts.get(step)), parameters);
        return results.get(results.size() - 1);
    }

    @Override
    public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<List<Object[]>> results = run(connection, exchange, parameters);
        return new Both(results.get(removed), results.get(results.size() - 1));
    }

    private static List<List<Object[]>> run(Connection connection, Script script, Map<String, ?> parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(script.sql())) {
            int index = 0;
            for (String name : script.parameters()) {
                bind(connection, statement, ++index, Objects.requireNonNull(parameters.get(name), name));
            }
            List<List<Object[]>> results = new ArrayList<>();
            boolean isRows = statement.execute();
            while (isRows || statement.getUpdateCount() >= 0) {
                results.add(isRows ? rows(statement) : List.of());
                isRows = statement.getMoreResults();
            }
            return results;
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
