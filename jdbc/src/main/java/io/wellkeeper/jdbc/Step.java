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

    /** Whether it changes nothing, so that it may be given up though nobody knows whether it was carried out. */
    boolean isReading() {
        return switch (this) {
            case TICKETS, MINE, INSPECT, CHECK, NAMES, SETTINGS, NOTICE -> true;
            default -> false;
        };
    }

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
