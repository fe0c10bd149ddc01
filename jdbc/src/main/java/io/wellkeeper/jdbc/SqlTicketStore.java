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
 * Every lock is a row, its tickets are rows beside it, and a session is a row too. What is said here of a server does not
 * hold for SQLite.
 *
 * <p><b>Guarantees.</b> A number is drawn under the row of its lock, so order is the order in which that row was had.
 * The fencing token is the database's clock in microseconds, or one more than the last token of the lock if that is
 * larger. The row is never deleted, so the token grows for ever; where an operator deletes it, it grows unless the clock
 * is set back. What the database has committed it keeps, as far as it is set up to: with {@code synchronous_commit} on,
 * or {@code innodb_flush_log_at_trx_commit=1}, nothing is lost by a crash; a replica that takes over must have been
 * synchronous. Only that an owner gave his ticket back is not forced to PostgreSQL's disk: if it is there again after a
 * crash, its session gives it back once more, or ends. What somebody else removes, as by {@code breakLock}, is forced.
 *
 * <p><b>Time.</b> A session ends by the database's clock when it was not renewed for its timeout <i>T</i>. A heartbeat
 * goes out every <i>T</i>/4, and an acknowledged one is good for four fifths of <i>T</i>, by the client's monotonic clock
 * from its sending. Setting the database's clock forward by more than <i>T</i>/5 at once ends sessions whose owners do not
 * know it. Whoever sees that a session has ended deletes its row, so it does not come back when the clock is set back.
 *
 * <p><b>Cost.</b> A free lock takes one round trip, and one to be given back; each is a transaction of its own, never the
 * user's. Whoever removes a ticket tells exactly the sessions that watch it; a ticket that nobody waits for is removed
 * without. A session has two connections, however many threads wait: one carries out requests in order, one listens.
 * What it waits for is looked at again every two seconds, and when the time of a session ahead runs out. Where messages do
 * not arrive, because of a pooler for instance, that is logged, is one of {@link
 * io.wellkeeper.LockAdmin#storeWarnings()}, and what is waited for is looked at every 50 ms.
 *
 * <p>PostgreSQL tells by {@code NOTIFY}, which wakes every connection to the database that listens. The messages of a
 * request are sent by one transaction, and cost little more than one. On two cores a removal that tells somebody took 0.5 ms where
 * few listened, 2 ms with 100 connections that listen, and 10 ms with 400. So a session that begins while 100 others of the
 * same tables listen (URI parameter {@code listeners}) does not: it has one connection, nobody pays for telling it anything,
 * and it looks every 50 ms, as above, until it ends.
 *
 * <p>With MariaDB and MySQL the connection that listens waits for a named lock ({@code GET_LOCK}) that the other one
 * holds, and whoever has a message for it writes a row and ends that wait ({@code KILL QUERY}): one round trip more for
 * each session that is told. For that all clients must be the same user; otherwise a message is found within five
 * seconds, and whoever sent it has that among its {@code storeWarnings()}. In a cluster all clients must use the same
 * node. MariaDB keeps prepared what is on the way to a lock, six statements for each client, which count towards
 * {@code max_prepared_stmt_count}; where it may not, and with MySQL, a data source whose connections do not take several
 * statements at once ({@code allowMultiQueries}) makes several round trips of each request.
 *
 * <p><b>Failure.</b> What was not answered is sent again on a new connection, when the server has ended the old one; each
 * statement may be carried out twice without harm. Deadlocks and serialisation failures are tried again. One row for each
 * name ever used stays in the table {@code lock}.
 *
 * <p><b>SQLite</b>, 3.42 or later, is for the processes of one machine: {@code jdbc:sqlite:/path/to/file}, on a local file
 * system, where all who use it may write; a file system that machines share, such as NFS, is refused unless the URI has
 * {@code anyFileSystem=true}. The clock is the machine's. The file is in WAL mode, and is not forced to disk
 * with each transaction, because a crash of the machine ends all sessions anyway: nothing is lost when processes die, and
 * when the power fails what was written last may be ({@code synchronous=FULL} prevents that). One process writes at a
 * time, each for some microseconds; one that is stopped just then stops all others. Nobody is woken: whoever
 * waits looks at a number in shared memory, every half millisecond at first and every 20 ms in the end, so that a hand-over
 * takes an eighth longer than the wait, and 20 ms at most.
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

    /** Finds out what is there; connects for that if need be. */
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
     * A store that takes its connections from a data source, two for each client, and keeps them until it breaks them,
     * because it has changed their settings: a pool makes new ones. Nothing is sent yet. The tables have the prefix
     * {@code wellkeeper_}, and are where the connection looks first.
     *
     * @param source of connections; a pool must let this store have its connections for good, and a connection that is
     *     never answered must fail in time, by the driver's {@code loginTimeout} or {@code socketTimeout} for instance: while
     *     the source is asked for one, nothing else is tried
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
     * As {@link #over(DataSource, String, String)}, with another number of sessions that may listen where the database is
     * PostgreSQL.
     *
     * @param source of connections
     * @param schema where the tables are
     * @param prefix what their names begin with
     * @param listeners how many that is; 100 unless told otherwise
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if a name is not made of lower-case letters, digits and {@code _}, or the number is
     *     negative
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
     * @throws IllegalArgumentException if the database is another, or the prefix is not made of lower-case letters, digits
     *     and {@code _}
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
     * @throws IllegalArgumentException if the database is another, or a name is not made of lower-case letters, digits and
     *     {@code _}
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

    /** Those that were opened and have not left. */
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
