package io.wellkeeper;

import java.time.Instant;

/**
 * Records that an operator took a lock away from its holders.
 *
 * @param by the name of the client that did it
 * @param reason as the operator gave it
 * @param when by that client's clock
 * @see LockAdmin#breakLock
 */
public record LockBreak(String by, String reason, Instant when) {}
