package io.wellkeeper.jdbc;

import java.util.Locale;

/** The requests to a table of leases. Each is one statement, which may be carried out twice without harm. */
enum LeaseTableStep {
    ACQUIRE,
    RENEW,
    RELEASE;

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".sql";
    }
}
