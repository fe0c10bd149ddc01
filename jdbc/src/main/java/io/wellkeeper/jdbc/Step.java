package io.wellkeeper.jdbc;

import java.util.Locale;

/**
 * The requests to the database, each in one round trip and one transaction; each may be carried out twice without harm.
 */
enum Step {
    OPEN,
    HEARTBEAT,
    END,
    TAKE,
    TICKETS,
    MINE,
    INSPECT,
    REMOVE,
    SWEEP,
    ORPHANS,
    REPLACE,
    DESCRIBE,
    ALONE,
    WATCH,
    UNWATCH,
    CHECK,
    HEAR,
    NAMES,
    SETTINGS,
    NOTICE,
    /** As {@link #NOTICE}, for a client that asks for a ticket and reads the notice with it. */
    NOTICE_OF_TICKET,
    /** Reads the notices of some locks, for a client that looks for news; may overtake other requests about them. */
    NEWS,
    POST,
    HEED;

    /**
     * Whether it may be given up though nobody knows whether it was carried out: it changes nothing, or is asked for
     * again as long as there is something to be done.
     */
    boolean mayBeGivenUp() {
        return switch (this) {
            case TICKETS, MINE, INSPECT, CHECK, NAMES, SETTINGS, NOTICE, NOTICE_OF_TICKET, NEWS, ORPHANS -> true;
            default -> false;
        };
    }

    /** Whether it asks for a ticket, or for the notice that is read with one. */
    boolean isTaking() {
        return this == TAKE || this == NOTICE_OF_TICKET;
    }

    String file() {
        Step like = this == NOTICE_OF_TICKET ? NOTICE : this;
        return like.name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
