package io.wellkeeper.testservers;

import java.nio.file.Path;
import java.util.List;

/** A database server that has MySQL's protocol and options. */
interface SqlProgram {

    /**
     * Makes a directory fit for {@link #command}.
     *
     * @param directory an empty one
     */
    void initialise(Path directory);

    /** What runs it over the data in a directory; further options may follow. */
    List<String> command(Path directory);

    /** Where clients connect by JDBC, with the name of the user. */
    String jdbcUrl(int port);
}
