package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Carries steps out over tables of certain names. Thread-safe. */
interface Steps {

    /** Makes a new connection ready for them. */
    default void prepare(Connection connection) throws SQLException {}

    /**
     * Has a step carried out.
     *
     * @param parameters text, numbers and arrays of them, by name; a step need not use them all
     * @return the rows of the last result; empty if that has none
     */
    List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException;

    /**
     * Gives a ticket back and takes another one of the same lock, in this order and in one transaction.
     *
     * @param parameters of {@link Step#REMOVE} and of {@link Step#TAKE}
     * @return what the two say
     */
    Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException;

    /** What was found to keep other sessions from being told, each in a sentence. */
    default List<String> warnings() {
        return List.of();
    }

    /** The names that the parameters of a step are about, one or several. */
    static String[] names(Map<String, ?> parameters) {
        return parameters.get("names") instanceof String[] several
                ? several
                : new String[] {(String) Objects.requireNonNull(parameters.get("name"))};
    }

    /** Undoes what a text has done that began a transaction and failed. */
    static void rollBack(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException broken) {
            // with the connection its transaction ends, too
        }
    }

    /** What the two steps of an exchange say, each as by itself. */
    record Both(List<Object[]> removed, List<Object[]> taken) {}
}
