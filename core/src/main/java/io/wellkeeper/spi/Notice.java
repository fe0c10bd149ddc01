package io.wellkeeper.spi;

/**
 * A short text that belongs to a name: what is pinned up beside the queue.
 *
 * @param text empty if there is none
 * @param version given by the store; it changes with every change of the text. So after a notice was put up and taken
 *     down, the version differs from the one before. It means nothing outside the store
 */
public record Notice(String text, long version) {}
