package io.wellkeeper.jdbc;

import java.util.ConcurrentModificationException;
import java.util.OptionalLong;

/** Thrown when a row no longer has the version that was read: somebody else has changed or deleted the row since. */
public class StaleVersionException extends ConcurrentModificationException {

    private static final long serialVersionUID = 1L;

    /** The version that was read. */
    private final long expected;

    /** Whether there was such a row. */
    private final boolean exists;

    /** The version that the row had; 0 if there was no such row. */
    private final long actual;

    /**
     * Refuses a change.
     *
     * @param row which row
     * @param expected the version that was read
     * @param actual the version that the row has; empty if there is no such row any more
     */
    public StaleVersionException(String row, long expected, OptionalLong actual) {
        super(row + " has " + (actual.isPresent() ? "version " + actual.getAsLong() : "been deleted") + ", not version "
                + expected);
        this.expected = expected;
        this.exists = actual.isPresent();
        this.actual = actual.orElse(0);
    }

    /** {@return the version that was read} */
    public long expected() {
        return expected;
    }

    /** {@return the version that the row had when the conflict was noticed; empty if the row was deleted} */
    public OptionalLong actual() {
        return exists ? OptionalLong.of(actual) : OptionalLong.empty();
    }
}
