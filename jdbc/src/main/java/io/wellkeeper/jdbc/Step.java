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

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
