package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** Carries steps out over tables of certain names. Thread-safe. */
interface Steps {

    /** Makes a new connection ready for the steps. */
    default void prepare(Connection connection) throws SQLException {}

    /**
     * Has a step carried out.
     *
     * @param parameters text, numbers and arrays of them, by name; a step need not use them all
     * @return the rows of the last result; empty if that result has no rows
     */
    List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException;

    /**
     * Gives a ticket back and takes another one of the same lock, in this order and in one transaction.
     *
     * @param parameters of {@link Step#REMOVE} and of {@link Step#TAKE}
     * @return the rows of both steps
     */
    Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException;

    /** The reasons, as far as they were noticed, why messages to other sessions may be late; a sentence for each. */
    default List<String> warnings() {
        return List.of();
    }

    /** Rolls back the transaction that a text of statements began before it failed. */
    static void rollBack(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException broken) {
            // the transaction ends with the connection
        }
    }

    /** The rows of the two steps of an exchange, as each step returns them by itself. */
    record Both(List<Object[]> removed, List<Object[]> taken) {}
}
