package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Keeps the queues of locks in tables of a PostgreSQL database, 14 or later, of MariaDB or MySQL, or in an SQLite file.
 * Every lock is a row, its tickets are rows beside it, and a session is a row too. What is said here of a server does
 * not hold for SQLite.
 *
 * <p><b>Guarantees.</b> A transaction draws a ticket's number while it has the row of the lock locked, so the order of
 * the tickets is the order in which their transactions got that row. The fencing token is the database's clock in
 * microseconds, or one more than the last token of the lock if that is larger. The row is never deleted, so the token
 * grows for ever; if an operator deletes the row, the token still grows unless the clock is set back. The database
 * keeps what it has committed, as far as it is set up to: with {@code synchronous_commit} on, or
 * {@code innodb_flush_log_at_trx_commit=1}, a crash loses nothing; a replica that takes over must have been
 * synchronous. There is one exception: when an owner gives its ticket back, PostgreSQL does not force this to disk. If
 * the ticket is there again after a crash, its session gives it back once more, or ends. When somebody else removes a
 * ticket, as by {@code breakLock}, this is forced to disk.
 *
 * <p><b>Time.</b> A session ends, by the database's clock, when it was not renewed for its timeout <i>T</i>. The client
 * sends a heartbeat every <i>T</i>/4. After an acknowledged heartbeat it relies on the session for four fifths of
 * <i>T</i>, by its own monotonic clock, from the sending of the heartbeat. Setting the database's clock forward by more
 * than <i>T</i>/5 at once ends sessions whose owners do not know it. A client that sees that a session has ended
 * deletes the row of the session, so that the session does not come back when the clock is set back.
 *
 * <p><b>Cost.</b> Acquiring a free lock takes one round trip, and so does its release; each is a transaction of its
 * own, never the user's. The request that removes a ticket sends a message to exactly the sessions that watch the
 * ticket, and to none if nobody waits for it. A session has two connections, however many threads wait: one carries out
 * requests in order, one listens. The session looks again at the tickets that it waits for every two seconds, and when
 * the time of a session ahead runs out. Where messages do not arrive, because of a pooler for instance, this is logged
 * and is one of the {@link io.wellkeeper.LockAdmin#storeWarnings()}, and the session looks every 50 ms.
 *
 * <p>PostgreSQL sends messages by {@code NOTIFY}, which wakes all listening connections to the database. One
 * transaction sends all messages of a request, and they cost little more than one message. On two cores a removal with
 * a message took 0.5 ms with few listening connections, 2 ms with 100, and 10 ms with 400. So a session that begins
 * while 100 others of the same tables listen (URI parameter {@code listeners}) does not listen itself: it has one
 * connection, nobody pays for messages to it, and it looks every 50 ms, as above, until it ends.
 *
 * <p>With MariaDB and MySQL the listening connection waits for a named lock ({@code GET_LOCK}) that the session's other
 * connection holds. A client that has a message for the session writes a row and ends that wait ({@code KILL QUERY}),
 * which is one more round trip for each session that gets a message. For that all clients must be the same user of the
 * database; otherwise the session finds the message within five seconds, and the sender reports this among its
 * {@code storeWarnings()}. In a cluster all clients must use the same node. MariaDB keeps the statements on the way to
 * a lock prepared, six for each client, which count towards {@code max_prepared_stmt_count}. Where it may not do so,
 * and with MySQL, each request takes several round trips if the connections of the data source do not take several
 * statements at once ({@code allowMultiQueries}).
 *
 * <p><b>Failure.</b> A request that was not answered is sent again on a new connection, when the server has ended the
 * old one; each statement may be carried out twice without harm. After a deadlock or a serialisation failure the
 * request is tried again. One row for each name ever used stays in the table {@code lock}.
 *
 * <p><b>SQLite</b>, 3.42 or later, is for the processes of one machine: {@code jdbc:sqlite:/path/to/file}, on a local
 * file system, where all processes that use the file may write. A file system that machines share, such as NFS, is
 * refused unless the URI has {@code anyFileSystem=true}. The clock is the machine's. The file is in WAL mode, and is
 * not forced to disk with each transaction, because a crash of the machine ends all sessions anyway: nothing is lost
 * when a process dies, but the last writes may be lost when the power fails ({@code synchronous=FULL} prevents that).
 * One process writes at a time, each for some microseconds; a process that is stopped in the middle of a write stops
 * all others. Nobody is woken: a waiting client looks at a number in shared memory, every half millisecond at first and
 * every 20 ms in the end. So a hand-over is late by an eighth of the time waited, and by 20 ms at most.
 *
 * <p>As a URI: {@code jdbc:postgresql://host:5432/database?user=name&password=secret&prefix=wellkeeper_&schema=public},
 * or the same with {@code jdbc:mariadb:} or {@code jdbc:mysql:}, which MariaDB's driver takes with
 * {@code permitMysqlScheme=true}. {@code prefix} and {@code schema} say what the tables are called, and for PostgreSQL
 * {@code listeners} how many sessions may listen; all else is the driver's. Tables that are missing are made. The
 * driver is the user's to add; where it is missing, the failure names the artifact.
 */
public final class SqlTicketStore implements TicketStore {

    private final String address;
    private final Place place;
    private final Set<SqlSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Finds out which database is there; connects for that if need be. */
    private interface Place {
        Database database() throws SQLException;
    }

    SqlTicketStore(Database database) {
        this(database.address(), () -> database);
    }

    private SqlTicketStore(String address, Place place) {
        this.address = address;
        this.place = place;
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the database is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static SqlTicketStore of(StoreUri uri) {
        return new SqlTicketStore(JdbcPlace.of(uri));
    }

    /**
     * A store that takes its connections from a data source, two for each client. It keeps each connection until it
     * breaks it: because the store has changed the connection's settings, a pool must make a new one. Nothing is sent
     * yet. The tables have the prefix {@code wellkeeper_}, and are where the connection looks first.
     *
     * @param source of connections; a pool must let this store have its connections for good. An attempt to connect
     *     that the server never answers must fail in time, by the driver's {@code loginTimeout} or
     *     {@code socketTimeout} for instance: while the store waits for the source, it tries nothing else
     * @return the store, owned by the caller
     */
    public static SqlTicketStore over(DataSource source) {
        return over(source, new Tables(Optional.empty(), Tables.PREFIX), new PostgreSql());
    }

    /**
     * As {@link #over(DataSource)}, with tables of another name.
     *
     * @param source of connections
     * @param schema where the tables are
     * @param prefix what their names begin with
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if a name is not made of lower-case letters, digits and {@code _}
     */
    public static SqlTicketStore over(DataSource source, String schema, String prefix) {
        return over(source, new Tables(Optional.of(schema), prefix), new PostgreSql());
    }

    /**
     * As {@link #over(DataSource, String, String)}, with another number of sessions that may listen where the database
     * is PostgreSQL.
     *
     * @param source of connections
     * @param schema where the tables are
     * @param prefix what their names begin with
     * @param listeners how many that is; 100 unless told otherwise
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if a name is not made of lower-case letters, digits and {@code _}, or the number
     *     is negative
     */
    public static SqlTicketStore over(DataSource source, String schema, String prefix, int listeners) {
        return over(source, new Tables(Optional.of(schema), prefix), new PostgreSql(listeners));
    }

    /**
     * The statements that make the tables, for those who migrate by hand.
     *
     * @param database {@code postgresql}, {@code mysql}, {@code mariadb} or {@code sqlite}
     * @param prefix what the names of the tables begin with
     * @return statements, with a semicolon between them
     * @throws IllegalArgumentException if the database is another, or the prefix is not made of lower-case letters,
     *     digits and {@code _}
     */
    public static String schema(String database, String prefix) {
        return schema(database, new Tables(Optional.empty(), prefix));
    }

    /**
     * As {@link #schema(String, String)}, in a certain schema, which must be there.
     *
     * @param database {@code postgresql}, {@code mysql} or {@code mariadb}
     * @param schema where the tables are made
     * @param prefix what their names begin with
     * @return statements, with a semicolon between them
     * @throws IllegalArgumentException if the database is another, or a name is not made of lower-case letters, digits
     *     and {@code _}
     */
    public static String schema(String database, String schema, String prefix) {
        if (Vendor.of(database) == Vendor.SQLITE) {
            throw new IllegalArgumentException("SQLite has no schemas");
        }
        return schema(database, new Tables(Optional.of(schema), prefix));
    }

    private static String schema(String database, Tables tables) {
        String folder = switch (Vendor.of(database)) {
            case POSTGRESQL -> PostgreSql.FOLDER;
            case MYSQL, MARIADB -> MariaDb.FOLDER;
            case SQLITE -> Sqlite.FOLDER;
        };
        return Script.read(folder, "schema.sql", tables);
    }

    private static SqlTicketStore over(DataSource source, Tables tables, PostgreSql postgreSql) {
        return new SqlTicketStore(JdbcPlace.address(source), () -> JdbcPlace.of(source, tables, postgreSql));
    }

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        if (closed) {
            return CompletableFuture.failedFuture(new LockStoreException("the store at " + address() + " was closed"));
        }
        CompletableFuture<Session> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> open(options, listener, result), "wellkeeper-jdbc-open");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private void open(SessionOptions options, SessionListener listener, CompletableFuture<Session> result) {
        SqlSession session;
        try {
            session = new SqlSession(place.database(), listener, options.timeout());
        } catch (
                Throwable
                        failed) { // a pool that is closed throws what it likes, and so does a driver that is not there
            result.completeExceptionally(Failures.unreachable(address, failed));
            return;
        }
        session.open(options).whenComplete((opened, refused) -> {
            if (refused != null) {
                result.completeExceptionally(Stages.unwrap(refused));
                return;
            }
            sessions.removeIf(SqlSession::left);
            sessions.add(session);
            if (closed) {
                session.close().whenComplete((gone, never) -> result.complete(session));
            } else {
                result.complete(session);
            }
        });
    }

    /** The sessions that were opened and have not left. */
    Set<SqlSession> sessions() {
        return sessions;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String toString() {
        return "SqlTicketStore[" + address() + "]";
    }

    /** Ends all sessions and their connections; does not wait for it. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List.copyOf(new ArrayList<>(sessions)).forEach(SqlSession::close);
        sessions.clear();
    }
}
