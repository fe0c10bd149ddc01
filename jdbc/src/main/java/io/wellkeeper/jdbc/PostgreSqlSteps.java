package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Carries steps out. A statement that shows a {@code queue} also shows how many milliseconds are left to the session
 * that is the {@code soonest} to end. If the time of a session is up, it is ended, its tickets are cleared away from
 * that queue, and the step shows the tickets that are left. Immutable.
 */
final class PostgreSqlSteps implements Steps {

    private static final String FOLDER = PostgreSql.FOLDER;
    private static final String UNFORCED = "set_config('synchronous_commit', 'off', true)";
    private static final String FORCED = "1";
    private static final String NOTIFY = "pg_notify(";
    private static final String NOTHING = "concat("; // takes the same arguments, and sends nothing
    private static final String NO_ROOM = "54000"; // among other things, the queue of notifications is full
    private static final String FORCE = "SELECT FROM pg_logical_emit_message(true, '', '')"; // forces all before it too
    private static final String SOONEST = "(SELECT CASE WHEN min(expires) > clock_timestamp()"
            + " THEN 1 + CAST(extract(epoch FROM min(expires) - clock_timestamp()) * 1000 AS bigint) ELSE 0 END"
            + " FROM {session}) AS soonest";

    private final Map<Step, Script> scripts = new EnumMap<>(Step.class);
    private final Script expire;
    private final Script bury;
    private final Script forcedRemoval;
    private final Script exchange;
    private final Script exchangeAndForce;

    /**
     * @param tables what the tables are called
     * @param listeners how many sessions may listen
     */
    PostgreSqlSteps(Tables tables, int listeners) {
        for (Step step : Step.values()) {
            String text = text(step.file(), UNFORCED, tables);
            scripts.put(step, Script.parse(text.replace("{listeners}", Integer.toString(listeners))));
        }
        expire = script("expire.sql", UNFORCED, tables);
        bury = script("bury.sql", UNFORCED, tables);
        forcedRemoval = forcedRemoval(tables);
        exchange = script("exchange.sql", FORCED, tables);
        exchangeAndForce = Script.parse("BEGIN;\n" + text("exchange.sql", UNFORCED, tables) + ";\nCOMMIT;\n" + FORCE);
    }

    private static Script script(String file, String unforced, Tables tables) {
        return Script.parse(text(file, unforced, tables));
    }

    private static String text(String file, String unforced, Tables tables) {
        String text = Script.read(FOLDER, file)
                .replace("{expire}", Script.read(FOLDER, "expire.sql"))
                .replace("{bury}", Script.read(FOLDER, "bury.sql"))
                .replace("{soonest}", SOONEST)
                .replace("{unforced}", unforced)
                .replace("{force}", FORCE);
        return tables.fill(text);
    }

    /** The rows of the last statement that shows any. */
    private record Answer(List<Object[]> rows, boolean isAnyDead) {}

    @Override
    public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        if (step == Step.INSPECT) {
            return inspect(connection, parameters);
        }
        if (step == Step.HEARTBEAT) { // drops messages that a pooler has brought here, and that the driver keeps
            connection.unwrap(PGConnection.class).getNotifications();
        }
        Script script = script(step, parameters);
        Answer answer = switch (step) {
            case REMOVE, REPLACE, SWEEP, ORPHANS -> runToldOrNot(connection, script, parameters);
            default -> run(connection, script, parameters);
        };
        if (!answer.isAnyDead) {
            return answer.rows;
        }
        if (step != Step.CHECK) {
            return swept(connection, parameters);
        }
        runToldOrNot(connection, expire, Map.of());
        return run(connection, scripts.get(Step.CHECK), parameters).rows;
    }

    private List<Object[]> inspect(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> rows = run(connection, Step.TICKETS, parameters);
        Map<Object, Object> metadata = new HashMap<>();
        run(connection, scripts.get(Step.INSPECT), parameters).rows.forEach(row -> metadata.put(row[0], row[1]));
        rows.forEach(row -> row[6] = metadata.getOrDefault(row[0], ""));
        return rows;
    }

    /**
     * The queue without the tickets of sessions whose time is up; their tickets of other names wait for a heartbeat.
     */
    private List<Object[]> swept(Connection connection, Map<String, ?> parameters) throws SQLException {
        runToldOrNot(connection, expire, Map.of());
        runToldOrNot(connection, scripts.get(Step.SWEEP), parameters);
        run(connection, bury, Map.of());
        return run(connection, scripts.get(Step.TICKETS), parameters).rows;
    }

    /**
     * An owner whose removal was lost in a crash of the server gives the ticket back once more. Another session would
     * not repeat its removal, and the owner, told or not, would go on holding the ticket beside the next one. So the
     * removal of another session's ticket is forced to the disk.
     */
    private @Nullable Script script(Step step, Map<String, ?> parameters) {
        boolean another = step == Step.REMOVE && !Objects.equals(parameters.get("owner"), parameters.get("me"));
        return another ? forcedRemoval : scripts.get(step);
    }

    /** If another session may wait for the ticket, it is told before the removal is on the disk. */
    @Override
    public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
        boolean contended = parameters.get("contended") == Boolean.TRUE;
        Answer answer;
        try {
            answer = run(connection, contended ? exchangeAndForce : exchange, parameters);
        } catch (SQLException failure) {
            if (!NO_ROOM.equals(failure.getSQLState())) {
                throw failure;
            }
            return oneAfterTheOther(connection, parameters);
        }
        if (answer.rows.isEmpty()) { // an operator has deleted the row of the lock
            return oneAfterTheOther(connection, parameters);
        }
        List<Object[]> removed = List.<Object[]>of(new Object[] {answer.rows.get(0)[8]});
        return new Both(removed, answer.isAnyDead ? swept(connection, parameters) : answer.rows);
    }

    private Both oneAfterTheOther(Connection connection, Map<String, ?> parameters) throws SQLException {
        return new Both(run(connection, Step.REMOVE, parameters), run(connection, Step.TAKE, parameters));
    }

    /**
     * If the server's queue of notifications is full, nobody is told: departures are looked for in any case. Newcomers
     * and notices are not, so the steps that tell of those fail instead.
     */
    private static Answer runToldOrNot(Connection connection, @Nullable Script script, Map<String, ?> parameters)
            throws SQLException {
        try {
            return run(connection, script, parameters);
        } catch (SQLException failure) {
            if (!NO_ROOM.equals(failure.getSQLState())) {
                throw failure;
            }
        }
        Script untold = new Script(Objects.requireNonNull(script).sql().replace(NOTIFY, NOTHING), script.parameters());
        return run(connection, untold, parameters);
    }

    /** A removal in a transaction that is forced to the disk. */
    static Script forcedRemoval(Tables tables) {
        return script(Step.REMOVE.file(), FORCED, tables);
    }

    /** Gives a ticket back within the user's transaction; returns whether the ticket was there. */
    static boolean remove(Connection connection, Script removal, Map<String, ?> parameters) throws SQLException {
        return Long.valueOf(1).equals(run(connection, removal, parameters).rows.get(0)[0]);
    }

    private static Answer run(Connection connection, @Nullable Script script, Map<String, ?> parameters)
            throws SQLException {
        Objects.requireNonNull(script);
        try (PreparedStatement statement = connection.prepareStatement(script.sql())) {
            int index = 0;
            for (String name : script.parameters()) {
                bind(connection, statement, ++index, Objects.requireNonNull(parameters.get(name), name));
            }
            Answer answer = new Answer(List.of(), false);
            boolean isRows = statement.execute();
            while (isRows || statement.getUpdateCount() >= 0) {
                answer = isRows ? answer(statement, answer) : answer;
                isRows = statement.getMoreResults();
            }
            return answer;
        } catch (SQLException failure) {
            if (script.sql().startsWith("BEGIN")) {
                Steps.rollBack(connection);
            }
            throw failure;
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

    /**
     * Reads the answer of the current statement.
     *
     * @param before the answer so far, returned if this statement shows nothing
     */
    private static Answer answer(PreparedStatement statement, Answer before) throws SQLException {
        List<Object[]> rows = new ArrayList<>();
        boolean isAnyDead = false;
        try (ResultSet result = statement.getResultSet()) {
            ResultSetMetaData columns = result.getMetaData();
            int width = columns.getColumnCount();
            if (width == 0) {
                return before;
            }
            boolean isQueue = columns.getColumnLabel(1).equals("queue");
            while (result.next()) {
                @Nullable Object[] row = new @Nullable Object[width];
                for (int i = 0; i < width; i++) {
                    row[i] = result.getObject(i + 1);
                    isAnyDead |= columns.getColumnLabel(i + 1).equals("soonest")
                            && Long.valueOf(0).equals(row[i]);
                }
                if (!isQueue) {
                    rows.add(row);
                } else {
                    TicketIds.spread(row[0] + "", Arrays.copyOfRange(row, 1, width), rows);
                }
            }
        }
        return new Answer(rows, isAnyDead);
    }
}
