package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Carries steps out over tables of certain names. Thread-safe. */
interface Steps {

    /**
     * Has a step carried out.
     *
     * @param parameters text, numbers and arrays of them, by name; a step need not use them all
     * @return the rows of the last result; empty if that has none
     */
    List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters) throws SQLException;
}
