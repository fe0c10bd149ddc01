package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.StoreUri;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Locks in ShedLock's table, row by row: this store and ShedLock exclude each other. So a fleet can go over from
 * ShedLock process by process, or lock by hand what ShedLock's scheduled tasks lock. This store was tested against
 * ShedLock 7.10.1. A program that need not share a lock with ShedLock does better with {@link SqlTicketStore}, or
 * {@link LeaseTableStore}.
 *
 * <p><b>What this table cannot do.</b> There is no fencing token: {@link Lease#token()} is empty, because there is no column
 * for one. There is no order, and nobody is woken: a waiter asks again within a second, and ShedLock does not wait at
 * all. A name is as long as the column allows, which is 64 characters unless it was widened; a longer one is refused by the
 * database. Two names are the same if the column's collation says so, as for ShedLock, so on MySQL and MariaDB {@code a} is
 * {@code A} as a rule; a name that the character set of the driver lacks is refused there.
 *
 * <p><b>Clocks.</b> ShedLock compares {@code lock_until} with the clock of its own process, unless it is configured
 * with {@code usingDbTime()}; this store uses the database's clock, in UTC. So ShedLock must be configured with
 * {@code usingDbTime()}, or with {@code withTimeZone(UTC)} and clocks that agree: ShedLock takes a lock before our
 * lease is over by as much as its process's clock is ahead, and by default it writes local time. Where
 * {@code lock_until} is of MySQL's type {@code TIMESTAMP}, or of PostgreSQL's {@code timestamptz}, which depend on the
 * connection's time zone, all connections must have the same time zone, one without summer time. For the hour that is
 * left out in spring MySQL and MariaDB refuse all times, so that nobody gets a lock or keeps it. In PostgreSQL a lease
 * that is longer than the rest of that hour seems to be over, so that two clients are let in. With {@code timestamptz}
 * and {@code withTimeZone(UTC)} the time zone must be UTC. Where {@code lock_until} keeps whole seconds only, which
 * cuts the time off, a lease is written a second longer.
 *
 * <p><b>What is better than with ShedLock.</b> The owner is the attempt and not the host, so a late release or
 * extension of ours, or of ShedLock's, does not touch the other's lock; a holder is told when it has lost the lock; a
 * failed renewal is tried again. ShedLock's own processes on one host still take each other's locks for theirs.
 *
 * <p><b>Layout.</b> {@code locked_by} is our owner. A row stays when its lock is given back, with {@code lock_until}
 * set to now, because ShedLock relies on rows that it has once seen. The {@code lockAtLeastFor} of a ShedLock task
 * holds for us too, because ShedLock writes it to {@code lock_until}.
 *
 * <p>Time, cost and failure are as with {@link LeaseTableStore}. As a URI:
 * {@code jdbc-shedlock:postgresql://host:5432/database?user=name&password=secret&table=shedlock}, and likewise with
 * {@code mariadb} or {@code mysql}. This store does not create the table, which is ShedLock's.
 */
public final class ShedLockLeaseStore extends LeaseTable {

    private static final String KIND = "shedlock";

    private ShedLockLeaseStore(Database.Source source, String address, String table) {
        super(source, address, new LeaseTableLayout(KIND, table, false, "lock_until"), false);
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the database is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static ShedLockLeaseStore of(StoreUri uri) {
        LeaseTablePlace place = LeaseTablePlace.of(uri, Set.of("table"));
        return new ShedLockLeaseStore(
                place.source(), place.address(), uri.parameter("table").orElse(KIND));
    }

    /**
     * A store that takes its connections from a data source, up to two. It keeps each connection until it breaks it:
     * because the store has changed the connection's settings, a pool must make a new one. Nothing is sent yet. The
     * table is called {@code shedlock}.
     *
     * @param source of connections; a pool must let this store have its connections for good
     * @return the store, owned by the caller
     */
    public static ShedLockLeaseStore over(DataSource source) {
        return over(source, KIND);
    }

    /**
     * As {@link #over(DataSource)}, with a table of another name.
     *
     * @param source of connections
     * @param table its name, with the name of its schema and a dot in front if need be
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the name needs quotes
     */
    public static ShedLockLeaseStore over(DataSource source, String table) {
        return new ShedLockLeaseStore(source::getConnection, source.getClass().getSimpleName(), table);
    }

    @Override
    Map<String, String> columns(String name, String owner) {
        return Map.of("name", name, "owner", owner);
    }
}
