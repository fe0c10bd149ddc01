package io.wellkeeper.spi;

import java.time.Duration;

/**
 * What a new session shall be.
 *
 * @param clientName shown to whoever looks at the store
 * @param timeout after how long without a sign of life the store shall give the session's tickets to others
 */
public record SessionOptions(String clientName, Duration timeout) {}
