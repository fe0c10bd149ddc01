package io.wellkeeper.torture;

/**
 * A broken promise of a lock.
 *
 * @param rule the name of the promise
 * @param time when the promise was broken
 * @param lock the name of the lock; {@code -} for none
 * @param detail by whom it was broken, and how
 */
record Violation(String rule, long time, String lock, String detail) {}
