package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * The locks that the database has for its sessions, made into leases: {@code pg_try_advisory_lock} of PostgreSQL, 14 or
 * later, and {@code GET_LOCK} of MariaDB, 10.6 or later, and MySQL, 8.0 or later. There is no table, and nothing is
 * written. Each lock also keeps out programs in other languages that use the same lock of the database. There is no
 * order, and a waiter asks again within a second; {@link SqlTicketStore} has an order, and wakes its waiters.
 *
 * <p><b>Guarantees.</b> The server is told to end a session that has been silent for the lease's time to live, and its
 * locks with it ({@code idle_session_timeout}, {@code wait_timeout}). A client gives a sign of life every twentieth of that
 * time while it holds something, and relies on a lease by its own monotonic clock, for a hundredth and 2 ms less. So a
 * client that is cut off, or stands still, knows of its loss before the server frees the lock, and so does one whose
 * server stands still.
 *
 * <p>These locks live in a connection. The connection may end before its time, because an operator kills it, the server
 * restarts or a replica takes over, or something in between resets it. Then all locks of the client are free <em>at
 * once</em>, and the client learns of it by its next renewal only: for up to a third of a lease's validity, and a
 * twentieth of its time to live, a lock may have two holders. A session that is lost is never restored. Programs that
 * cannot bear two holders at once use a store with fencing tokens.
 *
 * <p><b>What these locks cannot do.</b> There is no fencing token: {@link Lease#token()} is empty, because the database
 * keeps nothing that could grow. Only the database itself can say who holds a lock, by the number of the holder's
 * connection.
 *
 * <p><b>What a lock is called.</b> In PostgreSQL it is a number of 64 bits: a name that is such a number in decimal,
 * such as {@code 42}, is that number; for any other name the number is the first eight bytes of its SHA-256, which SQL
 * computes as {@code ('x' || left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 16))::bit(64)::bigint}. A lock
 * belongs to one database; two names that have the same number only exclude each other needlessly. In MariaDB and MySQL
 * a lock is a name of at most 64 characters, without regard to case, and belongs to the whole server: a name of visible
 * ASCII characters without capitals is kept as it is, any other is {@code wellkeeper:} and the first 52 hexadecimal
 * digits of its SHA-256. In a cluster of MariaDB or MySQL all clients must use the same node.
 *
 * <p><b>Cost.</b> Acquiring a lock takes one round trip, and so does its release. All locks of one time to live share a
 * connection and a thread, waiters included; the connection ends when nothing has been held or asked for during half of
 * that time. The time to live is rounded up to whole seconds at MariaDB and MySQL.
 *
 * <p><b>Failure.</b> A replica that cannot be written to is refused. A pooler in between must leave a connection to its
 * client: in any other session a statement does nothing, and a request for a lock is refused. A statement that fails,
 * or is not answered within half the time to live and 1.5 seconds at least, ends the session, and all its leases.
 *
 * <p>As a URI: {@code jdbc-native:postgresql://host:5432/database?user=name&password=secret}, and likewise with
 * {@code mariadb} or {@code mysql}. All parameters are the driver's.
 */
public final class NativeLeaseStore implements LeaseStore {

    private static final Duration LONGEST = Duration.ofDays(20); // in milliseconds within 31 bits
    private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

    private final Database.Source source;
    private final String address;
    private final Map<Duration, NativeSession> sessions = new ConcurrentHashMap<>(); // by the time to live
    private volatile boolean closed;

    private NativeLeaseStore(Database.Source source, String address) {
        this.source = source;
        this.address = address;
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the database is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static NativeLeaseStore of(StoreUri uri) {
        if (uri.hosts().startsWith("sqlite:")) {
            throw new IllegalArgumentException("SQLite has no locks of sessions; expected jdbc-native:postgresql://"
                    + "host/database, or the same with mariadb or mysql");
        }
        LeaseTablePlace place = LeaseTablePlace.of(uri, Set.of());
        return new NativeLeaseStore(place.source(), place.address());
    }

    /**
     * A store that takes its connections from a data source, one for each time to live that is in use, and breaks each
     * connection that it needs no more. Nothing is sent yet.
     *
     * @param source of connections; a pool must let this store have its connections for as long as it likes
     * @return the store, owned by the caller
     */
    public static NativeLeaseStore over(DataSource source) {
        return new NativeLeaseStore(source::getConnection, JdbcPlace.address(source));
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        Duration ttl = bounded(request.ttl());
        CompletableFuture<Boolean> got = new CompletableFuture<>();
        ask(request, ttl, true, got);
        Lease lease = new Lease(request.name(), request.owner(), OptionalLong.empty(), LeaseTable.validity(ttl));
        return Stages.map(got, mine -> mine ? Optional.of(lease) : Optional.empty());
    }

    /** Asks for a lock, and once more on a new connection if a connection that was good before turns out to be dead. */
    private void ask(LeaseRequest request, Duration ttl, boolean mayRepeat, CompletableFuture<Boolean> result) {
        long start = System.nanoTime();
        NativeSession session = sessions.computeIfAbsent(
                ttl, time -> new NativeSession(source, address, time, ended -> sessions.remove(time, ended)));
        if (closed) {
            sessions.remove(ttl, session);
            result.completeExceptionally(new LockStoreException("the store at " + address + " was closed"));
            return;
        }
        Optional<CompletableFuture<Boolean>> answer = session.tryAcquire(request.name(), request.owner(), ttl);
        if (answer.isEmpty()) {
            sessions.remove(ttl, session);
            ask(request, ttl, mayRepeat, result);
            return;
        }
        answer.get().whenComplete((mine, failure) -> {
            if (failure == null) {
                result.complete(mine);
            } else if (mayRepeat && session.wasConnected() && System.nanoTime() - start < SOON_NANOS && !closed) {
                ask(request, ttl, false, result);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return session(lease)
                .map(session -> session.renew(lease.name(), lease.owner(), bounded(ttl)))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return session(lease)
                .flatMap(session -> session.release(lease.name(), lease.owner()))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** The session that holds a lease, or may get it; there is none when that session has ended. */
    private Optional<NativeSession> session(Lease lease) {
        return sessions.values().stream()
                .filter(session -> session.knows(lease.owner()))
                .findFirst();
    }

    /** The sessions that have not ended, or have ended only just now. */
    Collection<NativeSession> sessions() {
        return sessions.values();
    }

    private static Duration bounded(Duration ttl) {
        return ttl.compareTo(LONGEST) < 0 ? ttl : LONGEST;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String toString() {
        return "NativeLeaseStore[" + address() + "]";
    }

    /** Ends the connections, and with them the leases that were not released. */
    @Override
    public void close() {
        closed = true;
        sessions.values().forEach(NativeSession::close);
        sessions.clear();
    }
}
