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
 * Locks in the table {@code INT_LOCK} of Spring Integration's {@code JdbcLockRegistry}, row by row: each keeps out the
 * other. So a fleet can go over from Spring Integration process by process. It was tested against Spring Integration 7.0.5,
 * whose table has the column {@code EXPIRED_AFTER}; the table of version 6 has none, and is not served. Whoever need not
 * share a lock with Spring does better with {@link SqlTicketStore}, or {@link LeaseTableStore}.
 *
 * <p><b>What this table cannot do.</b> There is no fencing token: {@link Lease#token()} is empty, because the row is deleted
 * when the lock is given back. There is no order, and nobody is woken: whoever waits asks again within a second, and the
 * registry every 100 ms. Nobody can see in the table what a lock is called: its key is the UUID of the name.
 *
 * <p><b>Clocks.</b> The registry compares {@code EXPIRED_AFTER} with the clock of its own process, in UTC; this store takes
 * the database's. By as much as a process's clock is ahead of the database's, the registry takes a lock before our lease is
 * over; by as much as it is behind, we take one of the registry's before its time. So clocks must agree.
 *
 * <p><b>What is better than at the registry's.</b> The owner is the attempt and not the process; a holder is told when it
 * has lost the lock; a lease is renewed by itself; a lock takes one round trip, and one to be given back.
 *
 * <p><b>Layout.</b> {@code LOCK_KEY} is the name if that is a UUID, else the UUID made of its bytes, as at the registry's;
 * so is {@code CLIENT_ID} of our owner. Two names that are one UUID, in
 * small letters and in capitals, are one lock. A row is deleted when it is given back. A registry of another region, or prefix of
 * the table, has other locks.
 *
 * <p>Time, cost and failure are as of {@link LeaseTableStore}. As a URI:
 * {@code jdbc-spring-integration:postgresql://host:5432/database?user=name&password=secret&region=DEFAULT&prefix=INT_}, and
 * likewise with {@code mariadb} or {@code mysql}. The table is not made, for it is Spring's.
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
     * A store that takes its connections from a data source, up to two, and keeps them until it breaks them, because it has
     * changed their settings: a pool makes new ones. Nothing is sent yet. The table is called {@code INT_LOCK}, and the
     * region {@code DEFAULT}.
     *
     * @param source of connections; a pool must let this store have its connections for good
     * @return the store, owned by the caller
     */
    public static IntLockLeaseStore over(DataSource source) {
        return over(source, PREFIX, REGION);
    }

    /**
     * As {@link #over(DataSource)}, for what a {@code DefaultLockRepository} was set up with.
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

    /** As Spring Integration makes a key of a text. */
    static String uuid(String text) {
        UUID uuid = UUID_TEXT.matcher(text).matches()
                ? UUID.fromString(text)
                : UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
        return uuid.toString();
    }
}
