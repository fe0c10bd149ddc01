package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockOptions;
import java.time.Duration;

/**
 * For how long a lease is asked for, and whether it is renewed for as long as it is wanted.
 *
 * @param ttl its time to live without renewal
 * @param renewed false if it ends by then in any case
 */
record LeaseTerms(Duration ttl, boolean renewed) {

    static LeaseTerms of(LockOptions shape, ClientOptions client) {
        return shape.leaseWithoutRenewal()
                .map(length -> new LeaseTerms(length, false))
                .orElseGet(() -> new LeaseTerms(client.sessionTimeout(), true));
    }
}
