package io.wellkeeper.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A lock that was given for a while.
 *
 * @param name the lock's name
 * @param owner as in the {@link LeaseRequest}
 * @param token the fencing token, which grows with every lease of this name, at most {@link Place#MAX_TOKEN}; empty
 *     where the store has no honest one
 * @param validity for how long after the <em>sending</em> of the request, or of a renewal that succeeded, nobody else
 *     can be given the lock; a margin for clocks that run at different speeds is already taken off
 */
public record Lease(String name, String owner, OptionalLong token, Duration validity) {

    /**
     * Refuses a token that is out of range.
     *
     * @param name the lock's name
     * @param owner as in the {@link LeaseRequest}
     * @param token 0 to {@link Place#MAX_TOKEN}, or empty
     * @param validity for how long nobody else can be given the lock
     * @throws IllegalArgumentException if the token is anything else
     */
    public Lease {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(validity, "validity");
        token.ifPresent(Place::checkToken);
    }
}
