package io.wellkeeper.spi;

/**
 * A short text that belongs to a name: what is pinned up beside the queue.
 *
 * @param text empty if there is none
 * @param version the store's; changes with every change of the text, so that of a notice that is down
 *     again is another than before it was up. Means nothing outside the store
 */
public record Notice(String text, long version) {}
