package io.wellkeeper.cli.demo;

import java.sql.SQLException;
import java.util.Map;

/** One scene of the demonstration. */
public interface Act {

    /** What it shows, in a few words. */
    String title();

    /** Plays it. */
    Result play(Stage stage) throws SQLException, InterruptedException;

    /**
     * What came of an act.
     *
     * @param title the act's
     * @param expected in a few words
     * @param outcome in a few words
     * @param asExpected whether it went as it should
     * @param figures for machines
     */
    record Result(String title, String expected, String outcome, boolean asExpected, Map<String, Object> figures) {}
}
