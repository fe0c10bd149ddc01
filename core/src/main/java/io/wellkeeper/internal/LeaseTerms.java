package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import java.time.Duration;

/**
 * For how long a lease is asked for, and whether it is renewed for as long as it is wanted.
 *
 * @param ttl its time to live without renewal
 * @param renewed false if the lease ends by then in any case
 */
record LeaseTerms(Duration ttl, boolean renewed) {

    static LeaseTerms of(Want want, ClientOptions client) {
        return want.lease() == null
                ? new LeaseTerms(client.sessionTimeout(), true)
                : new LeaseTerms(want.lease(), false);
    }
}
