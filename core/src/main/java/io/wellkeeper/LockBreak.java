package io.wellkeeper;

import java.time.Instant;

/**
 * That a lock was taken away from its holders by hand.
 *
 * @param by the client that did it
 * @param reason in its own words
 * @param when by that client's clock
 * @see LockAdmin#breakLock
 */
public record LockBreak(String by, String reason, Instant when) {}
