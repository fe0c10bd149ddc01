package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The lock that everybody knows how to make of a table with a unique index: the client that inserts the row has the
 * lock. Over PostgreSQL, MySQL, MariaDB and SQLite, by plain statements only. There is no order, and a waiter asks
 * again within a second, so it suits few waiters; {@link SqlTicketStore} suits any number.
 *
 * <p><b>What is better than usual.</b> A row whose time is over is taken in the statement that inserts. Owner and token
 * are compared in each statement, so that a late release does not free the next holder's lock. The row of a lock that
 * is free stays, because it keeps the fencing token. The clock is the database's. No call is part of a transaction of
 * the user's, and duplicate keys and deadlocks are handled inside.
 *
 * <p><b>Guarantees.</b> Acquisition, renewal and release are one statement each, and a transaction of its own; a
 * request that is repeated by the same owner gives the same lease. If such a request arrives only after the owner has
 * given the lock back, and nobody else has had the lock since, it gives none. What the database has committed it keeps,
 * as far as it is set up to: a replica that takes over must have been synchronous, or a second holder gets in while the
 * first one relies on its lease. Programs that may not have two holders at once check the fencing token where they
 * write.
 *
 * <p><b>Fencing token.</b> The database's clock in microseconds, or one more than the last token of the lock if that is
 * larger. The row is never deleted, so the token grows for ever; if an operator deletes the row, the token still grows
 * unless the clock is set back.
 *
 * <p><b>Time.</b> A lease ends by the database's clock, which is its machine's; it is relied upon by the client's
 * monotonic clock from the sending of the request, and for a hundredth and 2 ms less. A clock that is set forward ends
 * leases early, and their owners learn of it at their next renewal.
 *
 * <p><b>Cost.</b> Acquiring a lock takes one round trip, and so does its release. A store has up to two connections,
 * and up to two threads that talk to the database. One row for each name ever used stays in the table {@code lease}.
 *
 * <p><b>Failure.</b> A request on a connection that turns out to be dead is sent once more on a new one; deadlocks and
 * serialisation failures are tried again. A request that is not answered within a quarter of the lease's time to live,
 * and within 1.5 to 5 seconds, fails, and so does one that had to wait as long for its turn.
 *
 * <p>As a URI: {@code
 * jdbc-simple:postgresql://host:5432/database?user=name&password=secret&prefix=wellkeeper_&schema=public}, and likewise
 * {@code jdbc-simple:mariadb://}, {@code jdbc-simple:mysql://} and {@code jdbc-simple:sqlite:/path/file}. {@code
 * prefix} and {@code schema} say what the table is called; all else is the driver's. A table that is missing is made.
 * An SQLite file on a file system that machines share, such as NFS, is refused unless the URI has {@code
 * anyFileSystem=true}.
 */
public final class LeaseTableStore extends LeaseTable {

    private static final String KIND = "leases";

    private LeaseTableStore(Database.Source source, String address, Tables tables) {
        super(source, address, layout(tables), true);
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the database is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static LeaseTableStore of(StoreUri uri) {
        LeaseTablePlace place = LeaseTablePlace.of(uri, Set.of("schema", "prefix"));
        Tables tables =
                new Tables(uri.parameter("schema"), uri.parameter("prefix").orElse(Tables.PREFIX));
        return new LeaseTableStore(place.source(), place.address(), tables);
    }

    /**
     * A store that takes its connections from a data source, up to two. It keeps each connection until it breaks it:
     * because the store has changed the connection's settings, a pool must make a new one. Nothing is sent yet. The
     * table has the prefix {@code wellkeeper_}, and is where the connection looks first.
     *
     * @param source of connections; a pool must let this store have its connections for good
     * @return the store, owned by the caller
     */
    public static LeaseTableStore over(DataSource source) {
        return over(source, new Tables(Optional.empty(), Tables.PREFIX));
    }

    /**
     * As {@link #over(DataSource)}, with a table of another name.
     *
     * @param source of connections
     * @param schema where the table is
     * @param prefix what its name begins with
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if a name is not made of lower-case letters, digits and {@code _}
     */
    public static LeaseTableStore over(DataSource source, String schema, String prefix) {
        return over(source, new Tables(Optional.of(schema), prefix));
    }

    /**
     * The statement that makes the table, for migrations by hand.
     *
     * @param database {@code postgresql}, {@code mysql}, {@code mariadb} or {@code sqlite}
     * @param prefix what the table's name begins with
     * @return one that does nothing if the table is there
     * @throws IllegalArgumentException if the database is another, or the prefix is not made of lower-case letters,
     *     digits and {@code _}
     */
    public static String schema(String database, String prefix) {
        return schema(database, new Tables(Optional.empty(), prefix));
    }

    /**
     * As {@link #schema(String, String)}, in a certain schema, which must be there.
     *
     * @param database {@code postgresql}, {@code mysql}, {@code mariadb} or {@code sqlite}
     * @param schema where the table is made
     * @param prefix what its name begins with
     * @return one that does nothing if the table is there
     * @throws IllegalArgumentException if the database is another, or a name is not made of lower-case letters, digits
     *     and {@code _}
     */
    public static String schema(String database, String schema, String prefix) {
        return schema(database, new Tables(Optional.of(schema), prefix));
    }

    private static String schema(String database, Tables tables) {
        LeaseTableDialect dialect = switch (Vendor.of(database)) {
            case POSTGRESQL -> LeaseTableDialect.POSTGRESQL;
            case MYSQL, MARIADB -> LeaseTableDialect.MARIADB;
            case SQLITE -> LeaseTableDialect.SQLITE;
        };
        return layout(tables).schema(dialect);
    }

    private static LeaseTableLayout layout(Tables tables) {
        return new LeaseTableLayout(KIND, tables.table("lease"), true, "expires");
    }

    private static LeaseTableStore over(DataSource source, Tables tables) {
        return new LeaseTableStore(
                new LocalFile().only(source::getConnection), source.getClass().getSimpleName(), tables);
    }

    @Override
    Map<String, String> columns(String name, String owner) {
        return Map.of("name", name, "owner", owner);
    }
}
