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
    POST,
    HEED;

    /**
     * Whether it may be given up though nobody knows whether it was carried out: it changes nothing, or is asked for again as long as
     * there is something to be done.
     */
    boolean mayBeGivenUp() {
        return switch (this) {
            case TICKETS, MINE, INSPECT, CHECK, NAMES, SETTINGS, NOTICE, ORPHANS -> true;
            default -> false;
        };
    }

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
