package io.wellkeeper.spi;

import java.time.Duration;

/**
 * What a new lease shall be.
 *
 * @param name the lock's name
 * @param owner names this attempt and no other, ever; the store compares it before it renews or releases. A request
 *     that is repeated with the same owner, because its reply was lost, gives the same lease, and its ttl counts anew, unless
 *     the lease lasts longer already
 * @param ttl after how long without renewal the store gives the lock to others
 * @param metadata text that the store keeps beside the lease and shows to whoever looks, at most 16 KiB of ASCII
 */
public record LeaseRequest(String name, String owner, Duration ttl, String metadata) {}
