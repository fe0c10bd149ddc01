package io.wellkeeper.redis;

import java.util.Locale;

/** What a server is asked to do in one step for the stores of leases: each is a resource file. */
enum LeaseScript {
    LEASE_ACQUIRE,
    LEASE_RENEW,
    LEASE_RELEASE,
    REDLOCK_ACQUIRE,
    REDLOCK_RENEW,
    REDLOCK_RELEASE,
    REDISSON_ACQUIRE,
    REDISSON_RENEW,
    REDISSON_RELEASE;

    private final String text = Script.read(name().toLowerCase(Locale.ROOT).replace('_', '-'));
    private final String digest = Script.sha1(text);

    /** For the server that does not know it yet. */
    String text() {
        return text;
    }

    /** What the server knows it by. */
    String digest() {
        return digest;
    }
}
