package io.wellkeeper.jdbc;

import java.util.Locale;

/** What is asked of a table of leases, each in one statement; may be carried out twice without harm. */
enum LeaseTableStep {
    ACQUIRE,
    RENEW,
    RELEASE;

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
