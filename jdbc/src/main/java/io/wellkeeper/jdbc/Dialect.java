package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What differs between databases. Thread-safe. */
interface Dialect {

    /** The statements, over tables of these names. */
    Steps statements(Tables tables);

    /** Makes the tables that are missing; several processes may do so at once. */
    void createTables(Connection connection, Tables tables) throws SQLException;

    /**
     * Makes a new connection fit for requests.
     *
     * @param tables what they are called
     * @param session that the connection belongs to
     * @param patience after which a request gives up waiting for other transactions
     * @return what the server calls this connection
     * @throws SQLException also if the server cannot be written to
     */
    String prepare(Connection connection, Tables tables, String session, Duration patience) throws SQLException;

    /**
     * Makes the server end a lost connection of ours, so that it carries out nothing more.
     *
     * @param connection another connection
     * @param lost what the server called the lost one
     */
    void end(Connection connection, String lost) throws SQLException;

    /** Begins to receive the messages to a session. */
    Doorbell listen(Connection connection, Tables tables, String session) throws SQLException;

    /**
     * What an operator should change, a sentence for each change.
     *
     * @param settings of the server
     */
    List<String> warnings(Map<String, String> settings);

    /** What is to be done about a failure. */
    Remedy remedy(SQLException failure);

    /** What is to be done about a failure. */
    enum Remedy {
        /** The statement was not carried out; the next attempt may succeed. */
        REPEAT,
        /** The connection is of no use any more; nobody knows whether the statement was carried out. */
        RECONNECT,
        /** As {@link #RECONNECT} the first time, and then as {@link #REPORT}. */
        RECONNECT_ONCE,
        /** The statement will not succeed; the failure is reported to the caller. */
        REPORT
    }

    /** Receives messages on a connection of its own. */
    interface Doorbell {

        /**
         * Waits for messages.
         *
         * @param patience how long
         * @return one message; empty after a while without a message, when the server has answered that it is still
         *     there
         */
        Optional<String> await(Duration patience) throws SQLException;
    }
}
