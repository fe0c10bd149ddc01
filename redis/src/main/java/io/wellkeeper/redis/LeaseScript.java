package io.wellkeeper.redis;

import java.util.Locale;

/**
 * What a server is asked to do in one step for the stores of leases: each is a resource file, perhaps
 * behind those that it begins with.
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

    /** Whether it keeps what is held, and does not wait for its turn. */
    boolean overtakes() {
        return this == LEASE_RENEW || this == REDLOCK_RENEW || this == REDISSON_RENEW;
    }

    /**
     * Whether it gives back what is held, and waits for its turn before what asks for more. A release of Redlock's does not: it may be
     * sent behind a vote of the same owner that is still waiting, and would be of no use before it.
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

    /** For the server that does not know it yet. */
    String text() {
        return text;
    }

    /** What the server knows it by. */
    String digest() {
        return digest;
    }
}
