package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries steps out. A step says in columns of certain names what is to be done besides: {@code ring} the listeners of
 * sessions to which it has written; tell each {@code watcher} of a departure; end the {@code dead}, whose time is up, and
 * do the step again; and tell who has {@code met} a newcomer. In most steps there is nothing of this.
 */
final class MariaDbSteps implements Steps {

    private static final int ATTEMPTS = 5; // against a clock that jumps about
    private static final int LOCK_TIMEOUT = 1205; // at once, of MariaDB
    private static final int LOCKED = 3572; // of MySQL

    private final Map<Step, MariaDbScript> scripts = new EnumMap<>(Step.class);
    private final MariaDbScript expire;
    private final MariaDbScript meet;
    private final MariaDbScript removed;
    private final MariaDbScript tell;
    private final MariaDbScript exchange;
    private final Tables tables;

    MariaDbSteps(Tables tables) {
        this.tables = tables;
        for (Step step : Step.values()) {
            scripts.put(step, new MariaDbScript(step.file(), tables));
        }
        expire = new MariaDbScript("expire.sql", tables);
        meet = new MariaDbScript("meet.sql", tables);
        removed = new MariaDbScript("removed.sql", tables);
        tell = new MariaDbScript("tell.sql", tables);
        exchange = MariaDbScript.both(Step.REMOVE.file(), Step.TAKE.file(), tables);
    }

    @Override
    public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        MariaDbScript script = Objects.requireNonNull(scripts.get(step));
        for (int attempt = 1; ; attempt++) {
            MariaDbScript.Answer answer = script.run(connection, parameters);
            boolean ended = attend(connection, step == Step.REMOVE, parameters, answer);
            if (!ended || step == Step.HEARTBEAT || attempt == ATTEMPTS) {
                return answer.last();
            }
        }
    }

    @Override
    public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
        MariaDbScript.Answer answer = exchange.run(connection, parameters);
        boolean ended = attend(connection, true, parameters, answer);
        Object[] gone = {answer.marked("gone").contains("1") ? 1L : 0L};
        return new Both(List.<Object[]>of(gone), ended ? run(connection, Step.TAKE, parameters) : answer.last());
    }

    /** Does what is to be done besides; true if that changes what the step shows. */
    private boolean attend(
            Connection connection, boolean removes, Map<String, ?> parameters, MariaDbScript.Answer answer)
            throws SQLException {
        Set<String> rings = new HashSet<>(answer.marked("ring"));
        boolean ended = false;
        for (String list : answer.marked("dead")) {
            for (String one : list.split(",")) {
                ended |= expire(connection, one, rings);
            }
        }
        if (!answer.marked("met").isEmpty()) {
            rings.addAll(meet.run(connection, parameters).marked("ring"));
        }
        if (removes && !Objects.equals(parameters.get("owner"), parameters.get("me"))) {
            rings.addAll(removed.run(connection, parameters).marked("ring"));
        }
        for (String watcher : answer.marked("watcher")) {
            Map<String, Object> message = new HashMap<>(parameters);
            message.put("watcher", watcher);
            tell.run(connection, message);
            rings.add(watcher);
        }
        for (String session : rings) {
            ring(connection, tables, session);
        }
        return ended;
    }

    /** False if it stays for the time being, because a transaction guards it, or somebody else is at it. */
    private boolean expire(Connection connection, String dead, Set<String> rings) throws SQLException {
        try {
            rings.addAll(expire.run(connection, Map.of("dead", dead)).marked("ring"));
            return true;
        } catch (SQLException failure) {
            if (failure.getErrorCode() == LOCK_TIMEOUT || failure.getErrorCode() == LOCKED) {
                return false;
            }
            throw failure;
        }
    }

    /** Ends the wait of a listener, if it waits; it looks for messages before it waits again. */
    static void ring(Connection connection, Tables tables, String session) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("KILL QUERY IS_USED_LOCK(?)")) {
            statement.setString(1, MariaDb.bell(tables, session));
            statement.execute();
        } catch (SQLException failure) {
            if (connection.isClosed()) {
                throw failure;
            }
            // it is not there, or another user's: it looks by itself before long
        }
    }

    /** The one value that a query shows. */
    static @Nullable Object value(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getObject(1) : null;
            }
        }
    }
}
