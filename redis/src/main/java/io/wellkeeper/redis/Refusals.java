package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What the failures of a server, and of the way to it, mean. */
final class Refusals {

    private Refusals() {}

    /**
     * In the words that are given.
     *
     * @param failure what was thrown
     */
    static LockStoreException of(String message, @Nullable Throwable failure) {
        return isLasting(failure)
                ? new StoreRefusalException(message, failure)
                : new LockStoreException(message, failure);
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

    /** A name server that says so, and not one that is silent, for which Netty has the same exception. */
    private static boolean isUnknownHost(Throwable failure) {
        return failure instanceof UnknownHostException
                && !String.valueOf(failure.getCause()).contains("Timeout");
    }

    /** By the word with which Redis begins an error; a full disk, or a full memory, is not emptied by waiting. */
    private static boolean isLasting(String words) {
        return switch (words.split(" ", 2)[0]) {
            case "WRONGPASS", "NOAUTH", "NOPERM", "OOM", "MISCONF" -> true;
            case "ERR" ->
                words.startsWith("ERR invalid password") // of servers without users
                        || words.startsWith("ERR AUTH")
                        || words.startsWith("ERR Client sent AUTH")
                        || words.startsWith("ERR DB index is out of range")
                        || words.startsWith("ERR unknown command")
                        || words.matches("(?s)ERR Error running script.*-(NOPERM|OOM|MISCONF).*"); // before Redis 7
            default -> false;
        };
    }
}
