package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends messages to sessions. Thread-safe. */
final class MariaDbPost {

    private static final Logger LOG = LoggerFactory.getLogger(MariaDbPost.class);
    private static final String WARNING =
            "a client of another database user may not be woken by this one, and looks for"
                    + " news every 5 s; have all clients connect as the same user";
    private static final int ATTEMPTS = 5;
    private static final int NO_SUCH_CONNECTION = 1094;
    private static final int ANOTHER_USERS = 1095;
    private static final int SESSION_LENGTH = 13;

    private final Tables tables;
    private final MariaDbScript tell;
    private final MariaDbScript strip;
    private final AtomicBoolean refused = new AtomicBoolean(); // by the server, to wake a listener

    MariaDbPost(Tables tables) {
        this.tables = tables;
        tell = new MariaDbScript("tell.sql", tables);
        strip = new MariaDbScript("strip.sql", tables);
    }

    /**
     * Whether the receiver of a message could not be woken. If the message was stored, the receiver soon looks by
     * itself.
     */
    static boolean isUnheard(SQLException failure) {
        return failure.getErrorCode() == NO_SUCH_CONNECTION || failure.getErrorCode() == ANOTHER_USERS;
    }

    /** Warnings of what keeps other clients from being woken, as far as it was found. */
    List<String> warnings() {
        return refused.get() ? List.of(WARNING) : List.of();
    }

    private void note(SQLException unheard) {
        if (unheard.getErrorCode() == ANOTHER_USERS && !refused.getAndSet(true)) {
            LOG.warn(WARNING);
        }
    }

    /**
     * Sends a message; repeats that here if transactions are in its way, as the step that it belongs to would not
     * repeat it.
     */
    void tell(Connection connection, String session, String text) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                tell.run(connection, Map.of("told", session, "text", text));
                return;
            } catch (SQLException failure) {
                if (isUnheard(failure)) {
                    note(failure);
                    return;
                }
                if (attempt == ATTEMPTS || !Vendor.MARIADB.isConflict(failure)) {
                    throw failure;
                }
            }
        }
    }

    /**
     * Tells of a departure the session whose ticket is right behind, those that watch, and the owner unless it removed
     * the ticket itself.
     *
     * @param parameters of the ticket
     * @param told the session that was told already
     * @param queue the tickets that are left
     * @param watches all watches of the name
     * @return whether a ticket of another session is right behind
     */
    boolean departed(
            Connection connection, Map<String, ?> parameters, @Nullable String told, String queue, String watches)
            throws SQLException {
        String owner = (String) Objects.requireNonNull(parameters.get("owner"));
        long number = (Long) Objects.requireNonNull(parameters.get("number"));
        Set<String> concerned = new HashSet<>();
        List<String> words = MariaDbQueues.words(queue);
        Optional<String> next = MariaDbQueues.next(words, number, owner);
        next.ifPresent(concerned::add);
        if (!owner.equals(parameters.get("me"))) {
            concerned.add(owner);
        }
        for (String watch :
                MariaDbQueues.watching(watches, number, Objects.requireNonNull(parameters.get("generation")))) {
            concerned.add(MariaDbQueues.watcher(watch));
            strip(connection, (String) Objects.requireNonNull(parameters.get("name")), watch);
        }
        for (String session : concerned) {
            if (!session.equals(told)) {
                tell(connection, session, "d" + parameters.get("ticket") + MariaDbQueues.text(words));
            }
        }
        return next.isPresent();
    }

    /**
     * Tells the session that wants to know of newcomers.
     *
     * @param alone a session, and then for each of its tickets a blank, a request and a semicolon
     */
    void newcomer(Connection connection, String alone, String me) throws SQLException {
        if (alone.length() <= SESSION_LENGTH || alone.startsWith(me)) {
            return;
        }
        for (String request : alone.substring(SESSION_LENGTH).split(";")) {
            tell(connection, alone.substring(0, SESSION_LENGTH), "a" + request.strip());
        }
    }

    /** Takes a watch out of the row of its lock. */
    void strip(Connection connection, String name, String watch) throws SQLException {
        strip.run(connection, Map.of("name", name, "watch", watch));
    }

    void ring(Connection connection, String session) throws SQLException {
        ring(connection, tables, session, this::note);
    }

    /**
     * Ends the wait of a listener, if it waits. The listener looks for messages before it waits again.
     *
     * @param unheard told if the listener is not there, or is another user's: it looks by itself before long
     */
    static void ring(Connection connection, Tables tables, String session, Consumer<SQLException> unheard)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("KILL QUERY IS_USED_LOCK(?)")) {
            statement.setString(1, MariaDb.bell(tables, session));
            statement.execute();
        } catch (SQLException failure) {
            if (connection.isClosed()) {
                throw failure;
            }
            unheard.accept(failure);
        }
    }
}
