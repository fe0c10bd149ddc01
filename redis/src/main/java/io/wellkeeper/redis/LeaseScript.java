package io.wellkeeper.redis;

import java.util.Locale;

/**
 * The scripts of the stores of leases, each of which the server carries out in one step. The text of a script is the
 * resource files named here, if any, and then the resource file of its own name.
 */
enum LeaseScript {
    LEASE_ACQUIRE("numbers", "refusal", "prolong"),
    LEASE_RENEW("prolong"),
    LEASE_RELEASE,
    REDLOCK_ACQUIRE,
    REDLOCK_RENEW("prolong"),
    REDLOCK_RELEASE,
    REDISSON_ACQUIRE("redisson-queue", "refusal", "prolong"),
    REDISSON_RENEW("prolong"),
    REDISSON_RELEASE("redisson-queue"),
    REDISSON_LEAVE("redisson-queue");

    private final String text;
    private final String digest;

    LeaseScript(String... beginnings) {
        StringBuilder whole = new StringBuilder();
        for (String beginning : beginnings) {
            whole.append(Script.read(beginning));
        }
        text = whole.append(Script.read(name().toLowerCase(Locale.ROOT).replace('_', '-')))
                .toString();
        digest = Script.sha1(text);
    }

    /** Whether the script renews a lock that is held, and so does not wait for its turn. */
    boolean overtakes() {
        return this == LEASE_RENEW || this == REDLOCK_RENEW || this == REDISSON_RENEW;
    }

    /**
     * Whether the script gives back a lock that is held, and so gets its turn before requests for locks. A release of
     * Redlock's does not: it may be sent behind a vote of the same owner that is still waiting, and would be of no use
     * before that vote.
     */
    boolean givesBack() {
        return this == LEASE_RELEASE || this == REDISSON_RELEASE;
    }

    /**
     * Whether it is sent again, at length, to a server that does not know it. A vote is not: it could be carried out
     * behind the release that takes it back.
     */
    boolean isSentAgain() {
        return this != REDLOCK_ACQUIRE;
    }

    /** The text, for a server that does not know the script yet. */
    String text() {
        return text;
    }

    /** The digest, by which the server knows the script. */
    String digest() {
        return digest;
    }
}
