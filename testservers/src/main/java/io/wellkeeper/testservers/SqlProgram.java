package io.wellkeeper.testservers;

import java.nio.file.Path;
import java.util.List;

/** A database server with the protocol and options of MySQL. */
interface SqlProgram {

    /**
     * Prepares a directory for {@link #command}.
     *
     * @param directory an empty directory
     */
    void initialise(Path directory);

    /** The command that runs the server on the data in a directory; further options may follow. */
    List<String> command(Path directory);

    /** The JDBC URL for clients, with the name of the user. */
    String jdbcUrl(int port);
}
