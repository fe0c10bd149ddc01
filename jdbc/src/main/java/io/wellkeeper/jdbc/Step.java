package io.wellkeeper.jdbc;

import java.util.Locale;

/** What is asked of the database, each in one round trip and one transaction; may be carried out twice without harm. */
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
    /** As {@link #NOTICE}, by who asks for a ticket and reads it with that. */
    NOTICE_OF_TICKET,
    /** As {@link #NOTICE}, by who looks for news: in no order with what is asked about the lock. */
    NEWS,
    POST,
    HEED;

    /**
     * Whether it may be given up though nobody knows whether it was carried out: it changes nothing, or is asked for again as long as
     * there is something to be done.
     */
    boolean mayBeGivenUp() {
        return switch (this) {
            case TICKETS, MINE, INSPECT, CHECK, NAMES, SETTINGS, NOTICE, NOTICE_OF_TICKET, NEWS, ORPHANS -> true;
            default -> false;
        };
    }

    /** Whether it asks for a ticket, or for what is read with it. */
    boolean isTaking() {
        return this == TAKE || this == NOTICE_OF_TICKET;
    }

    String file() {
        Step like = this == NOTICE_OF_TICKET || this == NEWS ? NOTICE : this;
        return like.name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
