package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.StoreUri;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Locks in the table {@code INT_LOCK} of Spring Integration's {@code JdbcLockRegistry}, row by row: this store and the
 * registry exclude each other. So a fleet can go over from Spring Integration process by process. This store was tested
 * against Spring Integration 7.0.5, whose table has the column {@code EXPIRED_AFTER}; the table of version 6 does not
 * have it, and is not supported. A program that need not share a lock with Spring does better with
 * {@link SqlTicketStore}, or {@link LeaseTableStore}.
 *
 * <p><b>What this table cannot do.</b> There is no fencing token: {@link Lease#token()} is empty, because the row is
 * deleted when the lock is given back. There is no order, and nobody is woken: a waiter asks again within a second, and
 * the registry every 100 ms. Nobody can see in the table what a lock is called: its key is the UUID of the name.
 *
 * <p><b>Clocks.</b> The registry compares {@code EXPIRED_AFTER} with the clock of its own process, in UTC; this store
 * uses the database's clock. If a process's clock is ahead of the database's, its registry takes a lock too early, by
 * the difference, before our lease is over; if the clock is behind, we take a lock of the registry too early by as
 * much. So the clocks must agree.
 *
 * <p><b>What is better than with the registry.</b> The owner is the attempt and not the process; a holder is told when
 * it has lost the lock; a lease is renewed automatically; acquiring a lock takes one round trip, and so does its
 * release.
 *
 * <p><b>Layout.</b> {@code LOCK_KEY} is the name if that is a UUID, else a UUID made of the bytes of the name, as with
 * the registry. {@code CLIENT_ID} is made of our owner in the same way. Two names that are one UUID, one in small
 * letters and one in capitals, are one lock. A row is deleted when its lock is given back. A registry with another
 * region, or another prefix of the table, has other locks.
 *
 * <p>Time, cost and failure are as with {@link LeaseTableStore}. As a URI:
 * {@code jdbc-spring-integration:postgresql://host:5432/database?user=name&password=secret&region=DEFAULT&prefix=INT_}, and
 * likewise with {@code mariadb} or {@code mysql}. This store does not create the table, which is Spring's.
 */
public final class IntLockLeaseStore extends LeaseTable {

    private static final String KIND = "intlock";
    private static final String PREFIX = "INT_";
    private static final String REGION = "DEFAULT";
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private final String region;

    private IntLockLeaseStore(Database.Source source, String address, String prefix, String region) {
        super(source, address, new LeaseTableLayout(KIND, prefix + "LOCK", false, "EXPIRED_AFTER"), false);
        this.region = region;
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the database is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static IntLockLeaseStore of(StoreUri uri) {
        LeaseTablePlace place = LeaseTablePlace.of(uri, Set.of("region", "prefix"));
        return new IntLockLeaseStore(
                place.source(),
                place.address(),
                uri.parameter("prefix").orElse(PREFIX),
                uri.parameter("region").orElse(REGION));
    }

    /**
     * A store that takes its connections from a data source, up to two. It keeps each connection until it breaks it:
     * because the store has changed the connection's settings, a pool must make a new one. Nothing is sent yet. The
     * table is called {@code INT_LOCK}, and the region {@code DEFAULT}.
     *
     * @param source of connections; a pool must let this store have its connections for good
     * @return the store, owned by the caller
     */
    public static IntLockLeaseStore over(DataSource source) {
        return over(source, PREFIX, REGION);
    }

    /**
     * As {@link #over(DataSource)}, with the prefix and the region that a {@code DefaultLockRepository} was set up
     * with.
     *
     * @param source of connections
     * @param prefix of the table's name, with that of its schema and a dot in front if need be
     * @param region of the locks
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the table's name needs quotes
     */
    public static IntLockLeaseStore over(DataSource source, String prefix, String region) {
        return new IntLockLeaseStore(source::getConnection, source.getClass().getSimpleName(), prefix, region);
    }

    @Override
    Map<String, String> columns(String name, String owner) {
        return Map.of("region", region, "name", uuid(name), "owner", uuid(owner));
    }

    /** Makes a key of a text as Spring Integration does. */
    static String uuid(String text) {
        UUID uuid = UUID_TEXT.matcher(text).matches()
                ? UUID.fromString(text)
                : UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
        return uuid.toString();
    }
}
