package io.wellkeeper.jdbc;

import io.wellkeeper.LockLostException;

/**
 * Thrown when a fencing token was shown that is smaller than one that the database has seen: somebody else has acquired
 * the lock since. The transaction must be rolled back.
 */
public class StaleTokenException extends LockLostException {

    private static final long serialVersionUID = 1L;

    /** The name of the lock. */
    private final String name;

    /** The token that was shown. */
    private final long token;

    /** The largest token that the database had seen. */
    private final long highest;

    /**
     * Refuses a token.
     *
     * @param name of the lock
     * @param token that was shown
     * @param highest the largest token that was seen
     */
    public StaleTokenException(String name, long token, long highest) {
        super("token " + token + " of lock '" + name + "' is stale: " + highest + " has been seen; roll back");
        this.name = name;
        this.token = token;
        this.highest = highest;
    }

    /** {@return the name of the lock} */
    public String name() {
        return name;
    }

    /** {@return the token that was shown} */
    public long token() {
        return token;
    }

    /** {@return the largest token that the database had seen by then} */
    public long highest() {
        return highest;
    }
}
