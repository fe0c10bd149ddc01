package io.wellkeeper.torture;

/**
 * Something that a lock promises never to happen.
 *
 * @param rule the name of the promise
 * @param time when it was broken
 * @param lock of which; {@code -} for none
 * @param detail who broke it, and how
 */
record Violation(String rule, long time, String lock, String detail) {}
