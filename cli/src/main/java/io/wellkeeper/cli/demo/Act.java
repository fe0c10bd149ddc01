package io.wellkeeper.cli.demo;

import java.sql.SQLException;
import java.util.Map;

/** One scene of the demonstration. */
public interface Act {

    /** What the act shows, in a few words. */
    String title();

    /** Plays the act. */
    Result play(Stage stage) throws SQLException, InterruptedException;

    /**
     * The result of an act.
     *
     * @param title the title of the act
     * @param expected the expected outcome, in a few words
     * @param outcome the outcome, in a few words
     * @param asExpected whether the outcome is the expected one
     * @param figures the figures, for machines
     */
    record Result(String title, String expected, String outcome, boolean asExpected, Map<String, Object> figures) {}
}
