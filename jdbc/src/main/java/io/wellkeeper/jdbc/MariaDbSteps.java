package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries steps out. A client that sees in a queue that the time of a session is up ends that session and sweeps its
 * tickets, before it goes on.
 */
final class MariaDbSteps implements Steps {

    private static final int NO_NULL = 1048;
    private static final long SOON_MILLIS = 50; // a transaction guards a session whose time is up

    private final Map<Step, MariaDbScript> scripts = new EnumMap<>(Step.class);
    private final MariaDbScript exchange;
    private final MariaDbScript exchangeAndTell;
    private final MariaDbScript removeAndTell;
    private final MariaDbPost post;
    private final MariaDbSweep sweep;
    private final MariaDbSeen seen;

    MariaDbSteps(Tables tables, MariaDbSeen seen) {
        for (Step step : Step.values()) {
            boolean often = step == Step.TAKE || step == Step.REMOVE;
            scripts.put(
                    step,
                    often
                            ? MariaDbScript.prepared(step.file(), tables, false)
                            : new MariaDbScript(step.file(), tables));
        }
        exchange = MariaDbScript.prepared("exchange.sql", tables, false);
        exchangeAndTell = MariaDbScript.prepared("exchange.sql", tables, true);
        removeAndTell = MariaDbScript.prepared("remove.sql", tables, true);
        post = new MariaDbPost(tables);
        sweep = new MariaDbSweep(tables, post, script(Step.ORPHANS));
        this.seen = seen;
    }

    private MariaDbScript script(Step step) {
        return Objects.requireNonNull(scripts.get(step));
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        List<MariaDbScript> all = new ArrayList<>(scripts.values());
        all.addAll(List.of(exchange, exchangeAndTell, removeAndTell));
        for (MariaDbScript each : all) {
            each.prepare(connection);
        }
    }

    @Override
    public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        return switch (step) {
            case TAKE -> take(connection, parameters);
            case TICKETS -> queue(connection, parameters);
            case CHECK -> check(connection, parameters);
            case WATCH -> watch(connection, parameters);
            case MINE -> mine(connection, parameters);
            case INSPECT -> inspect(connection, parameters);
            case REMOVE -> remove(connection, parameters);
            case REPLACE -> replace(connection, parameters);
            case ORPHANS -> sweep.orphans(connection);
            case END -> end(connection, parameters);
            case HEED -> heed(connection, parameters);
            case SWEEP -> List.<Object[]>of(new Object[] {sweep.sweep(connection, text(parameters, "name")) ? 1L : 0L});
            default -> plain(connection, step, parameters);
        };
    }

    @Override
    public List<String> warnings() {
        return post.warnings();
    }

    private static String text(Map<String, ?> parameters, String name) {
        return (String) Objects.requireNonNull(parameters.get(name));
    }

    private List<Object[]> plain(Connection connection, Step step, Map<String, ?> parameters) throws SQLException {
        MariaDbScript.Answer answer = script(step).run(connection, parameters);
        for (String session : answer.marked("ring")) {
            post.ring(connection, session);
        }
        return answer.last();
    }

    private List<Object[]> take(Connection connection, Map<String, ?> parameters) throws SQLException {
        try {
            Object[] row = script(Step.TAKE).run(connection, parameters).last().get(0);
            return taken(connection, parameters, row, 0);
        } catch (SQLException failure) {
            if (failure.getErrorCode() == NO_NULL) { // the session has ended
                return List.of();
            }
            throw failure;
        }
    }

    /**
     * The queue with the ticket that was taken.
     *
     * @param row the queue at a certain column; in the last two, who is to be told of a newcomer, and the milliseconds
     *     left
     */
    private List<Object[]> taken(Connection connection, Map<String, ?> parameters, @Nullable Object[] row, int queue)
            throws SQLException {
        List<String> words = MariaDbQueues.words(row[queue] + "");
        long left = (Long) Objects.requireNonNull(row[row.length - 1]);
        String me = text(parameters, "me");
        post.newcomer(connection, row[row.length - 2] + "", me);
        if (left <= 0) {
            return swept(connection, parameters, words);
        }
        seen.look(words, me);
        return MariaDbQueues.rows(words, left);
    }

    private List<Object[]> swept(Connection connection, Map<String, ?> parameters, List<String> words)
            throws SQLException {
        return MariaDbQueues.rows(sweep.swept(connection, text(parameters, "name"), words), SOON_MILLIS);
    }

    /** The living tickets of a name. */
    private List<Object[]> queue(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> last = script(Step.TICKETS).run(connection, parameters).last();
        if (last.isEmpty()) {
            return last;
        }
        List<String> words = MariaDbQueues.words((String) last.get(0)[0]);
        long left = (Long) last.get(0)[1];
        return left > 0 ? MariaDbQueues.rows(words, left) : swept(connection, parameters, words);
    }

    private List<Object[]> check(Connection connection, Map<String, ?> parameters) throws SQLException {
        Set<Object> numbers = new HashSet<>(List.of((Object[]) Objects.requireNonNull(parameters.get("numbers"))));
        List<String> found = new ArrayList<>();
        long left = Long.MAX_VALUE;
        for (Object[] row : script(Step.CHECK).run(connection, parameters).last()) {
            left = (Long) row[1];
            for (String word : MariaDbQueues.words((String) row[0])) {
                if (numbers.contains(MariaDbQueues.number(word))) {
                    found.add(word);
                }
            }
        }
        return left > 0
                ? MariaDbQueues.rows(found, left)
                : MariaDbQueues.rows(sweep.living(connection, found), SOON_MILLIS);
    }

    private List<Object[]> watch(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> last = script(Step.WATCH).run(connection, parameters).last();
        if (last.isEmpty()) {
            return last;
        }
        List<String> words = MariaDbQueues.words((String) last.get(0)[0]);
        long left = (Long) last.get(0)[1];
        List<String> living = left > 0 ? words : sweep.swept(connection, text(parameters, "name"), words);
        return living.contains(text(parameters, "word"))
                ? List.<Object[]>of(new Object[] {left > 0 ? left : SOON_MILLIS})
                : List.of();
    }

    private List<Object[]> mine(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> mine = new ArrayList<>();
        for (Object[] row : script(Step.MINE).run(connection, parameters).last()) {
            List<String> own = MariaDbQueues.words((String) row[1]).stream()
                    .filter(word -> MariaDbQueues.session(word).equals(parameters.get("me")))
                    .toList();
            mine.addAll(MariaDbQueues.rows(own, row[0]));
        }
        return mine;
    }

    private List<Object[]> inspect(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> rows = queue(connection, parameters);
        Map<Object, Object> metadata = new HashMap<>();
        script(Step.INSPECT).run(connection, parameters).last().forEach(row -> metadata.put(row[0], row[1]));
        rows.forEach(row -> row[6] = metadata.getOrDefault(row[0], ""));
        return rows;
    }

    @Override
    public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
        Departure departure;
        try {
            departure = depart(connection, exchange, exchangeAndTell, parameters);
        } catch (SQLException failure) {
            if (failure.getErrorCode() == NO_NULL) { // exchange.sql says when
                return new Both(remove(connection, parameters), take(connection, parameters));
            }
            throw failure;
        }
        List<Object[]> taken = taken(connection, parameters, departure.row, 2);
        return new Both(departure.rows(), taken);
    }

    private List<Object[]> remove(Connection connection, Map<String, ?> parameters) throws SQLException {
        return depart(connection, script(Step.REMOVE), removeAndTell, parameters)
                .rows();
    }

    /**
     * The answer to a removal.
     *
     * @param row whether this removal removed the ticket, who was told, the queue, the watches, and more columns; empty
     *     if there is no such lock
     */
    private record Departure(@Nullable Object[] row) {

        List<Object[]> rows() {
            return List.<Object[]>of(new Object[] {row.length > 0 && isOne(row[0]) ? 1L : 0L});
        }
    }

    /**
     * Removes a ticket. The session behind it is told in the same request, before the commit, if one is expected there,
     * and else in another request. An owner gives its ticket back for good, and repeats that if the commit fails. If
     * another session removes the ticket, nobody is told before it is gone: if that commit fails, the owner goes on
     * holding the ticket.
     */
    private Departure depart(
            Connection connection, MariaDbScript silent, MariaDbScript telling, Map<String, ?> parameters)
            throws SQLException {
        String name = text(parameters, "name");
        boolean waitedFor = seen.isWaitedFor(name, text(parameters, "word"));
        boolean own = text(parameters, "owner").equals(parameters.get("me"));
        MariaDbScript expected = waitedFor && own ? telling : silent;
        List<Object[]> last;
        try {
            last = expected.run(connection, parameters).last();
        } catch (SQLException failure) {
            if (!MariaDbPost.isUnheard(failure)) {
                throw failure;
            }
            // and nothing was done
            last = silent.run(connection, parameters).last();
        }
        if (last.isEmpty()) {
            return new Departure(new @Nullable Object[0]);
        }
        Object[] row = last.get(0);
        seen.departed(name, post.departed(connection, parameters, (String) row[1], (String) row[2], (String) row[3]));
        return new Departure(row);
    }

    private static boolean isOne(@Nullable Object value) {
        return value instanceof Number number && number.intValue() == 1;
    }

    private List<Object[]> replace(Connection connection, Map<String, ?> parameters) throws SQLException {
        List<Object[]> last = script(Step.REPLACE).run(connection, parameters).last();
        if (last.isEmpty()) {
            return List.<Object[]>of(new Object[] {1L, 0L});
        }
        Object[] row = last.get(0);
        boolean done = MariaDbQueues.words((String) row[1]).contains(text(parameters, "milder"));
        if (done) {
            post.departed(connection, parameters, null, (String) row[1], (String) row[2]);
        }
        return List.<Object[]>of(new Object[] {row[0], done ? 1L : 0L});
    }

    private List<Object[]> end(Connection connection, Map<String, ?> parameters) throws SQLException {
        MariaDbScript.Answer answer = script(Step.END).run(connection, parameters);
        sweep.clear(connection, answer.marked("message"));
        sweep.bury(connection);
        return List.of();
    }

    /**
     * A session that watches a notice also sweeps away ended sessions that have watched it and had no ticket of this
     * name.
     */
    private List<Object[]> heed(Connection connection, Map<String, ?> parameters) throws SQLException {
        for (Object[] row : script(Step.HEED).run(connection, parameters).last()) {
            if (MariaDbQueues.words((String) row[0]).size() > 1) {
                sweep.sweep(connection, text(parameters, "name"));
            }
        }
        return List.of();
    }
}
