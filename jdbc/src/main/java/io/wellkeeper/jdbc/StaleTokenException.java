package io.wellkeeper.jdbc;

import io.wellkeeper.LockLostException;

/**
 * Thrown when a fencing token was shown that is smaller than one the database has seen: somebody else has acquired the
 * lock since. What the transaction has done must be rolled back.
 */
public class StaleTokenException extends LockLostException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final long token;
    private final long highest;

    /**
     * @param name of the lock
     * @param token that was shown
     * @param highest that was seen
     */
    public StaleTokenException(String name, long token, long highest) {
        super("token " + token + " of lock '" + name + "' is stale: " + highest + " has been seen; roll back");
        this.name = name;
        this.token = token;
        this.highest = highest;
    }

    /** The name of the lock. */
    public String name() {
        return name;
    }

    /** The token that was shown. */
    public long token() {
        return token;
    }

    /** The largest token seen so far. */
    public long highest() {
        return highest;
    }
}
