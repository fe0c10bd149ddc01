package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.StoreRefusalException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the failures of a server, and of the way to it, mean. */
final class Refusals {

    private static final Pattern OF_SCRIPT = Pattern.compile("^ERR Error running script .*: -?([A-Z]{4,}) ");
    private static final Duration LOADING = Duration.ofSeconds(1); // after which it is worth asking again

    private Refusals() {}

    /**
     * In the words that are given.
     *
     * @param failure what was thrown
     */
    static LockStoreException of(String message, @Nullable Throwable failure) {
        if (isLasting(failure)) {
            return new StoreRefusalException(message, failure);
        }
        return isLoading(failure)
                ? new StoreRecoveringException(message, LOADING)
                : new LockStoreException(message, failure);
    }

    private static boolean isLoading(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (word(String.valueOf(cause.getMessage())).equals("LOADING")) {
                return true;
            }
        }
        return false;
    }

    /** Whether no waiting helps, by what the failure says or one of its causes. */
    private static boolean isLasting(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (isUnknownHost(cause)
                    || cause instanceof LinkageError
                    || cause instanceof StoreRefusalException
                    || isLasting(String.valueOf(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a name server says that the host is unknown. Netty has the same exception for a silent name server. */
    private static boolean isUnknownHost(Throwable failure) {
        return failure instanceof UnknownHostException
                && !String.valueOf(failure.getCause()).contains("Timeout");
    }

    /**
     * The word with which Redis begins an error. Before Redis 7, the error in a script is in the midst of another
     * message.
     */
    static String word(String words) {
        Matcher inScript = OF_SCRIPT.matcher(words);
        return inScript.find() ? inScript.group(1) : words.split(" ", 2)[0];
    }

    /**
     * Whether waiting does not help. It empties no full disk or memory, changes neither the kind of a server nor the
     * type of a key, and yields no new numbers.
     */
    private static boolean isLasting(String words) {
        return switch (word(words)) {
            case "WRONGPASS", "NOAUTH", "NOPERM", "OOM", "MISCONF", "DENIED", "NUMBERS", "WRONGTYPE" -> true;
            case "ERR" ->
                words.startsWith("ERR invalid password") // of servers without users
                        || words.startsWith("ERR AUTH")
                        || words.startsWith("ERR Client sent AUTH")
                        || words.startsWith("ERR DB index is out of range")
                        || words.contains("The user executing the script can't") // before Redis 7.2
                        || words.startsWith("ERR unknown command")
                        || words.contains("Unknown Redis command") // in a script
                        || words.startsWith("ERR This instance has cluster support disabled");
            default -> false;
        };
    }
}
