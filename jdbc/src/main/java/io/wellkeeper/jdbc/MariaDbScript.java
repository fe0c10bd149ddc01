package io.wellkeeper.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one file. They travel together where the connection allows several in one text ({@code
 * allowMultiQueries}), and one after the other where it does not. The statements that take and give back tickets are
 * one block that MariaDB keeps prepared, so that it is not parsed each time; MySQL knows no blocks outside of stored
 * code. Thread-safe.
 */
final class MariaDbScript {

    private static final int SYNTAX = 1064;
    private static final int NOT_PREPARED = 1243;
    private static final Set<Integer> CANNOT_PREPARE = Set.of(SYNTAX, 1295, 1461); // no blocks, not prepared, too many

    private final Script whole;
    private final List<Script> parts;
    private final boolean isTransaction;
    private final String preparation;
    private final Script execution;
    private volatile boolean prepared;
    private volatile boolean apart;

    MariaDbScript(String file, Tables tables) {
        this(file, tables, false, false);
    }

    private MariaDbScript(String file, Tables tables, boolean tells, boolean prepared) {
        String template = Script.read(MariaDb.FOLDER, file);
        String text = tables.fill(MariaDbTerms.fill(template, tells, false));
        whole = Script.parse(text);
        parts = Arrays.stream(text.split(Script.END_OF_STATEMENT))
                .map(Script::parse)
                .toList();
        isTransaction = parts.stream().anyMatch(part -> part.sql().equals("START TRANSACTION"));
        // a pool's connections may have been used by others, with other tables
        String name = "wellkeeper_"
                + UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8))
                        .toString()
                        .replace('-', '_');
        Script block = Script.parse(tables.fill(MariaDbTerms.fill(template, tells, true)));
        preparation =
                "PREPARE " + name + " FROM 'BEGIN NOT ATOMIC\n" + block.sql().replace("'", "''") + ";\nEND'";
        execution = new Script(
                "EXECUTE " + name + " USING "
                        + String.join(
                                ", ", Collections.nCopies(block.parameters().size(), "?")),
                block.parameters());
        this.prepared = prepared;
    }

    /**
     * Statements of a file that the server keeps prepared if it can; no parameter is an array.
     *
     * @param tells whether the owner of the next ticket is told in the same request
     */
    static MariaDbScript prepared(String file, Tables tables, boolean tells) {
        return new MariaDbScript(file, tables, tells, true);
    }

    /**
     * What the server answered.
     *
     * @param last the rows of the last statement that had any
     * @param marked what stood in columns of certain names
     */
    record Answer(List<Object[]> last, Map<String, Set<String>> marked) {

        Set<String> marked(String column) {
            return marked.getOrDefault(column, Set.of());
        }
    }

    /** Makes a new connection ready for this script, if the script is to be kept prepared. */
    void prepare(Connection connection) throws SQLException {
        if (!prepared) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(preparation);
        } catch (SQLException failure) {
            if (!CANNOT_PREPARE.contains(failure.getErrorCode())) {
                throw failure;
            }
            prepared = false;
        }
    }

    Answer run(Connection connection, Map<String, ?> parameters) throws SQLException {
        try {
            if (prepared) {
                Answer answer = runUnless(NOT_PREPARED, connection, execution, parameters);
                if (answer != null) {
                    return answer;
                }
                prepared = false;
            }
            if (!apart && parts.size() > 1) {
                Answer answer = runUnless(SYNTAX, connection, whole, parameters);
                if (answer != null) {
                    return answer;
                }
                apart = true;
            }
            return run(connection, parts, parameters);
        } catch (SQLException failure) {
            if (isTransaction) {
                Steps.rollBack(connection);
            }
            throw failure;
        }
    }

    /** Null if the server refused the script with a certain error: then nothing of it was carried out. */
    private static @Nullable Answer runUnless(
            int refusal, Connection connection, Script script, Map<String, ?> parameters) throws SQLException {
        try {
            return run(connection, List.of(script), parameters);
        } catch (SQLException failure) {
            if (failure.getErrorCode() != refusal) {
                throw failure;
            }
            return null;
        }
    }

    private static Answer run(Connection connection, List<Script> scripts, Map<String, ?> parameters)
            throws SQLException {
        Answer answer = new Answer(new ArrayList<>(), new HashMap<>());
        for (Script script : scripts) {
            try (PreparedStatement statement = connection.prepareStatement(spread(script, parameters))) {
                statement.setMaxRows(0); // there is no limit, whatever the driver's default is
                statement.setFetchSize(0); // all rows at once, or the next statement is refused
                bind(statement, script, parameters);
                boolean isRows = statement.execute();
                while (isRows || statement.getUpdateCount() >= 0) {
                    if (isRows) {
                        try (ResultSet rows = statement.getResultSet()) {
                            read(rows, answer);
                        }
                    }
                    isRows = statement.getMoreResults();
                }
            }
        }
        return answer;
    }

    /** As many question marks for an array as it is long. */
    private static String spread(Script script, Map<String, ?> parameters) {
        if (parameters.values().stream().noneMatch(value -> value instanceof Object[])) {
            return script.sql();
        }
        StringBuilder sql = new StringBuilder();
        int index = 0;
        for (char each : script.sql().toCharArray()) {
            sql.append(each);
            if (each == '?' && parameters.get(script.parameters().get(index++)) instanceof Object[] array) {
                sql.append(", ?".repeat(array.length - 1));
            }
        }
        return sql.toString();
    }

    private static void bind(PreparedStatement statement, Script script, Map<String, ?> parameters)
            throws SQLException {
        int index = 0;
        for (String name : script.parameters()) {
            Object value = Objects.requireNonNull(parameters.get(name), name);
            for (Object each : value instanceof Object[] array ? array : new Object[] {value}) {
                if (each instanceof String text) { // as text it would depend on the driver's character set
                    statement.setBytes(++index, text.getBytes(StandardCharsets.UTF_8));
                } else {
                    statement.setObject(++index, each);
                }
            }
        }
    }

    private static void read(ResultSet result, Answer answer) throws SQLException {
        answer.last.clear();
        ResultSetMetaData columns = result.getMetaData();
        while (result.next()) {
            @Nullable Object[] row = new @Nullable Object[columns.getColumnCount()];
            for (int i = 0; i < row.length; i++) {
                row[i] = value(result, columns.getColumnType(i + 1), i + 1);
                if (row[i] instanceof String text) {
                    answer.marked
                            .computeIfAbsent(columns.getColumnLabel(i + 1), unused -> new HashSet<>())
                            .add(text);
                }
            }
            answer.last.add(row);
        }
    }

    /** Names are kept as bytes, so that no two are taken for equal. */
    private static @Nullable Object value(ResultSet row, int type, int column) throws SQLException {
        if (type == Types.BINARY || type == Types.VARBINARY || type == Types.LONGVARBINARY || type == Types.BLOB) {
            byte[] bytes = row.getBytes(column);
            return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }
        return row.getObject(column);
    }
}
