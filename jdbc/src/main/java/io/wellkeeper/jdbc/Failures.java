package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the failures of a database, of its driver and of a data source mean, in their own words. */
final class Failures {

    private static final int SQLITE_PRIMARY = 0xff;
    private static final int BINLOG_OF_STATEMENTS = 1665; // a statement-based log accepts no writes at READ COMMITTED

    private Failures() {}

    /**
     * A request was not carried out.
     *
     * @param address of the database
     */
    static LockStoreException answer(String address, Throwable failure) {
        return of("the database at " + address + " answers: ", failure);
    }

    /**
     * There is no connection.
     *
     * @param address of the database
     */
    static LockStoreException unreachable(String address, Throwable failure) {
        return of("cannot reach the database at " + address + ": ", failure);
    }

    private static LockStoreException of(String what, Throwable failure) {
        String message = what + words(failure);
        return isRefusal(failure)
                ? new StoreRefusalException(message, failure)
                : new LockStoreException(message, failure);
    }

    /** The words of a failure and of its causes, as some drivers and pools say only in a cause what went wrong. */
    private static String words(Throwable failure) {
        StringBuilder words = new StringBuilder(wordsOfOne(failure));
        for (Throwable cause : causes(failure)) {
            if (words.indexOf(wordsOfOne(cause)) < 0) {
                words.append(": ").append(wordsOfOne(cause));
            }
        }
        return words.toString();
    }

    private static String wordsOfOne(Throwable failure) {
        String message = failure.getMessage();
        return failure instanceof SQLException && message != null ? message.strip() : failure.toString();
    }

    private static Set<Throwable> causes(Throwable failure) {
        Set<Throwable> all = new LinkedHashSet<>();
        for (Throwable cause = failure; cause != null && all.add(cause); cause = cause.getCause()) {
            // some causes go round in circles
        }
        return all;
    }

    /** Whether the failure, or one of its causes, says that waiting does not help. */
    static boolean isRefusal(Throwable failure) {
        return causes(failure).stream().anyMatch(Failures::isRefusalItself);
    }

    private static boolean isRefusalItself(Throwable failure) {
        return failure instanceof LinkageError
                || failure instanceof UnknownHostException
                || (failure instanceof SQLException said && isRefusal(said));
    }

    private static boolean isRefusal(SQLException said) {
        String message = String.valueOf(said.getMessage());
        return isRefusedAccess(said)
                || isDiskFull(said.getErrorCode(), said.getSQLState(), message)
                || said.getErrorCode() == BINLOG_OF_STATEMENTS
                || isDriverMissing(said)
                || isRefusedFile(said, message);
    }

    /** Whether DriverManager found no driver; it reports that with the state of a lost network. */
    static boolean isDriverMissing(SQLException said) {
        return String.valueOf(said.getMessage()).startsWith("No suitable driver");
    }

    private static boolean isRefusedAccess(SQLException said) {
        String state = said.getSQLState() == null ? "" : said.getSQLState();
        boolean tooMany = switch (said.getErrorCode()) {
            case 1203, 1226 -> true; // connections of one user, to MariaDB or MySQL
            default -> false;
        };
        return !tooMany
                && (state.startsWith("28") // wrong password
                        || state.startsWith("42") // no permission, no such table, no such column
                        || state.startsWith("22") // a value that does not fit the table
                        || state.startsWith("0A") // what this server does not know
                        || state.equals("3D000") // no such database
                        || state.equals("3F000")); // no such schema
    }

    private static boolean isDiskFull(int code, @Nullable String state, String message) {
        return "53100".equals(state)
                || code == 1021 // MariaDB's and MySQL's, likewise the next
                || code == 1114
                || message.contains("No space left on device");
    }

    /** Whether SQLite, which has no states, refuses the file. */
    private static boolean isRefusedFile(SQLException said, String message) {
        if (said.getSQLState() != null) {
            return false;
        }
        return switch (said.getErrorCode() & SQLITE_PRIMARY) {
            case 1 -> message.contains("no such table");
            case 3, 8, 11, 13, 14, 23, 26 ->
                true; // may not, only read, damaged, disk full, no file, refused, no database
            default -> message.startsWith("path to '"); // the folder is missing
        };
    }
}
